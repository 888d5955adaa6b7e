// SPDX-License-Identifier: Apache-2.0
//
// The work of `floor requests`, done by Foundation's URLSession.
//
//     url-session requests URL COUNT IN-FLIGHT
import Foundation
import FoundationNetworking
import Synchronization

let arguments = CommandLine.arguments
guard arguments.count == 5, let url = URL(string: arguments[2]), let count = Int(arguments[3]),
    let inFlight = Int(arguments[4])
else { exit(64) }

let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = inFlight
configuration.urlCache = nil
let session = URLSession(configuration: configuration)

func cpu() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

let started = Atomic(0)
let (cpuBefore, start) = (cpu(), ContinuousClock.now)
try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<inFlight {
        group.addTask {
            while started.add(1, ordering: .relaxed).oldValue < count {
                let (data, response) = try await session.data(from: url)
                precondition((response as? HTTPURLResponse)?.statusCode == 200 && !data.isEmpty)
            }
        }
    }
    try await group.waitForAll()
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
let micro = (cpu() - cpuBefore) * 1e6 / Double(count)
print("{\"cpu_us\": \(micro), \"per_second\": \(Double(count) / seconds)}")
