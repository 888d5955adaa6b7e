// SPDX-License-Identifier: Apache-2.0

await Benchmark.run(CommandLine.arguments)
