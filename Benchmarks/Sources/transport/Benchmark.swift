// SPDX-License-Identifier: Apache-2.0
import Glibc
import PollardHTTP
import Synchronization

/// The work of `floor`, done by the transport.
///
///     transport requests URL COUNT IN-FLIGHT
///     transport waiting URL COUNT SILENT-URL WAITING
///     transport memory URL FIRST LAST IN-FLIGHT
///     transport dead URL NAMES
enum Benchmark {
    static func run(_ arguments: [String]) async {
        do {
            guard arguments.count >= 4 else { exit(64) }
            switch arguments[1] {
            case "requests": try await requests(arguments)
            case "waiting": try await waiting(arguments)
            case "memory": try await memory(arguments)
            case "dead": try await dead(arguments)
            default: exit(64)
            }
        } catch {
            print("{\"error\": \"\(error)\"}")
            exit(1)
        }
    }

    private static func transport() throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumConcurrentRequests = 10_000
        configuration.limits.maximumPerOrigin = 10_000
        configuration.limits.keptConnections = 8192
        if let file = unsafe getenv("BENCHMARK_CA") {
            configuration.connection.tls.certificateAuthorities = unsafe String(cString: file)
        }
        return try CurlTransport(configuration: configuration)
    }

    private static func requests(_ arguments: [String]) async throws {
        let transport = try transport()
        let count = number(arguments[3])
        let meter = Meter()
        try await send(transport, arguments[2], count, inFlight: number(arguments[4]))
        meter.report(count)
    }

    private static func waiting(_ arguments: [String]) async throws {
        let transport = try transport()
        let count = number(arguments[3])
        let silent = arguments[4]
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<number(arguments[5]) {
                group.addTask {
                    var request = HTTPRequest(url: silent)
                    request.timeouts.total = .seconds(60)
                    request.timeouts.idle = .seconds(50)
                    _ = try? await transport.send(request)
                }
            }
            do {
                try await send(transport, arguments[2], 2000, inFlight: 1)
                let meter = Meter()
                try await send(transport, arguments[2], count, inFlight: 1)
                meter.report(count)
                let idle = Meter()
                try await Task.sleep(for: .seconds(2))
                print("{\"idle_cores\": \(idle.cpuSeconds / 2)}")
            } catch {
                print("{\"error\": \"\(error)\"}")
            }
            group.cancelAll()
        }
    }

    private static func memory(_ arguments: [String]) async throws {
        let transport = try transport()
        let (first, last) = (number(arguments[3]), number(arguments[4]))
        try await send(transport, arguments[2], first, inFlight: number(arguments[5]))
        let (before, files) = (residentKilobytes(), descriptors())
        try await send(transport, arguments[2], last - first, inFlight: number(arguments[5]))
        print(
            "{\"kB_before\": \(before), \"kB_after\": \(residentKilobytes()), "
                + "\"descriptors_before\": \(files), \"descriptors_after\": \(descriptors())}")
    }

    /// Looks up names that nobody answers for, and times other requests meanwhile.
    private static func dead(_ arguments: [String]) async throws {
        let transport = try transport()
        try await send(transport, arguments[2], 10, inFlight: 1)
        let names = number(arguments[3])
        let worst = try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<names {
                group.addTask {
                    var request = HTTPRequest(url: "http://dead\(index).example/")
                    request.timeouts.connect = .seconds(1)
                    do throws(NetworkError) {
                        _ = try await transport.send(request)
                    } catch {
                        guard error.timeout == .connect else { throw error }
                    }
                }
            }
            var worst = Duration.zero
            let end = ContinuousClock.now + .milliseconds(1500)
            while ContinuousClock.now < end {
                let start = ContinuousClock.now
                try await send(transport, arguments[2], 1, inFlight: 1)
                worst = max(worst, ContinuousClock.now - start)
            }
            try await group.waitForAll()
            return worst
        }
        print("{\"worst_ms\": \(worst / .milliseconds(1))}")
    }

    /// Sends `count` requests, as many at once as told.
    private static func send(
        _ transport: CurlTransport, _ url: String, _ count: Int, inFlight: Int
    ) async throws {
        let started = Counter()
        let request = HTTPRequest(url: url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    while started.next() < count {
                        let response = try await transport.send(request)
                        precondition(response.status == 200 && !response.body.isEmpty)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func number(_ text: String) -> Int {
        guard let number = Int(text) else { exit(64) }
        return number
    }

    private static func residentKilobytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        fgets(&buffer, 128, file)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        return (Int(text.split(separator: " ").dropFirst().first ?? "0") ?? 0) * 4
    }

    private static func descriptors() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count - 3
    }
}

/// Numbers for whoever asks, from 0.
final class Counter: Sendable {
    private let value = Atomic(0)

    func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}

/// Measures CPU and time from its making on.
struct Meter {
    private let cpu = Meter.cpu()
    private let start = ContinuousClock.now

    var cpuSeconds: Double { Meter.cpu() - cpu }

    func report(_ count: Int) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let micro = cpuSeconds * 1e6 / Double(count)
        print("{\"cpu_us\": \(micro), \"per_second\": \(Double(count) / seconds)}")
    }

    private static func cpu() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
