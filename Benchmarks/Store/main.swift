// SPDX-License-Identifier: Apache-2.0

import Glibc

guard CommandLine.arguments.count == 2 else {
    print("usage: store-benchmark DIRECTORY (on the file system to measure)")
    exit(64)
}
let benchmark = StoreBenchmark(directory: CommandLine.arguments[1])
try await benchmark.measureCommits(itemsChanged: 1)
try await benchmark.measureCommits(itemsChanged: 25)
try await benchmark.measureBursts()
try await benchmark.measureFlushes()
