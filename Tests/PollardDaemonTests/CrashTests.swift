// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardCore
import PollardStore
import PollardSystemd
import PollardTestSupport
import Testing

/// What kill -9 leaves behind, at whatever instant it comes.
///
/// All the while each answer differs from the one before. In the end what is stored is what was
/// told, by the ids of the events.
@Suite(.serialized) struct CrashTests {
    /// Kills at instants by chance: enough that each step of a poll is hit several times.
    private static let kills = 200
    /// Stores that are worked on at a time.
    private static let lanes = 4

    @Test func `Whenever it is killed, what is stored is what was told`() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.lanes {
                group.addTask {
                    let daemon = try CrashingDaemon(endpoints: 8)
                    var generator = SystemRandomNumberGenerator()
                    for _ in 0..<Self.kills / Self.lanes {
                        let time = Int.random(in: 0...150_000, using: &generator)
                        try await daemon.live { process in
                            try await process.wait(for: "an event") {
                                $0.outputText.contains("POLLARD_EVENT")
                            }
                            try await ContinuousClock().sleep(for: .microseconds(time))
                            process.signal(SIGKILL)
                        }
                    }
                    let end = try await daemon.end()
                    #expect(Set(end.told) == Set(end.stored))
                    #expect(Set(end.stored).count == end.stored.count)
                    #expect(end.stored.count > Self.kills / Self.lanes)
                    // Twice is told only what a kill caught between the report and its mark.
                    #expect(end.repeats <= Self.kills / Self.lanes * 8)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `At whatever step it is killed, what is stored is what was told`() async throws {
        let library = try await TestProgram.trip.compiled()
        try await withThrowingTaskGroup { group in
            var points = KillPoint.all[...]
            for _ in 0..<Self.lanes {
                if let point = points.popFirst() {
                    group.addTask { try await kill(at: point, library) }
                }
            }
            while try await group.next() != nil {
                if let point = points.popFirst() {
                    group.addTask { try await kill(at: point, library) }
                }
            }
        }
    }

    private func kill(at point: KillPoint, _ library: String) async throws {
        let daemon = try CrashingDaemon(endpoints: 1)
        let trip = Trip(.kill, at: point.calls).environment(library: library)
        for _ in 0..<point.kills {
            let status = try await daemon.live(environment: trip) { process in
                guard let signal = point.signal else { return }
                try await process.wait(for: "an event") {
                    $0.outputText.contains("POLLARD_EVENT") || $0.status != nil
                }
                process.signal(signal)
            }
            #expect(status == .signalled(SIGKILL), "\(point.name)")
        }
        let end = try await daemon.end()
        #expect(Set(end.told) == Set(end.stored), "\(point.name)")
        #expect(Set(end.stored).count == end.stored.count, "\(point.name)")
        #expect(point.repeats.contains(end.repeats), "\(point.name): \(end.repeats)")
    }
}

/// The schedule after a kill.
@Suite struct PhaseTests {
    @Test func `Polls after a kill are in the phase of those before`() async throws {
        let interval = Duration.seconds(2)
        let times = Watched<[Timestamp]>([])
        let server = try LoopbackServer { _ in
            times.update { $0.append(Timestamp.now()) }
            return .json("1")
        }
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        try directory.write(
            "endpoints: [{name: a, url: \"\(server.url())\", interval: 2s}]\n", to: "pollard.yaml")
        var generator = SystemRandomNumberGenerator()
        for life in 1...6 {
            let process = try startDaemon(in: directory)
            try await times.wait(for: "poll \(life)") { $0.count >= life }
            let pause = Int.random(in: 0...500_000, using: &generator)
            try await ContinuousClock().sleep(for: .microseconds(pause))
            process.signal(SIGKILL)
            try await process.waitForExit()
        }
        let name = try #require(EndpointName(rawValue: "a"))
        let schedule = PollSchedule(name: name, interval: interval, jitter: 1)
        for time in times.value {
            // A busy machine may be late, but by less than half of the interval.
            let before = schedule.next(after: time).advanced(by: .zero - interval)
            #expect(time.since(before) < interval / 2)
        }
    }
}

/// A step of a daemon's life before which it is killed.
private struct KillPoint: Sendable {
    let name: String
    /// The calls that lead to it, for `Trip`.
    let calls: [String]
    /// What makes the daemon take the step.
    var signal: CInt?
    var kills = 20
    /// How many events may be told a second time, by all kills together.
    let repeats: ClosedRange<Int>

    private init(
        _ name: String, _ calls: String..., signal: CInt? = nil, kills: Int = 20,
        repeats: ClosedRange<Int> = 0...0
    ) {
        self.name = name
        self.calls = calls
        self.signal = signal
        self.kills = kills
        self.repeats = repeats
    }

    private static let insertion = "step INSERT INTO change"
    private static let mark = "step UPDATE change SET reported"
    private static let report = "write POLLARD_EVENT"

    static let all = [
        // Beside these a poll may be at any of its steps, between its report and the mark too. First
        // what takes longest.
        KillPoint(
            "before the statistics are written", "step INTO hour", kills: 6, repeats: 0...6),
        KillPoint(
            "while the statistics are written", "step INTO hour", "pwrite -wal", "pwrite -wal",
            kills: 6, repeats: 0...6),
        KillPoint("during a reload", "write reloaded: ", signal: SIGHUP, repeats: 0...20),
        KillPoint(
            "before the last write of a stop", "write stopping: ", "pwrite", signal: SIGTERM,
            repeats: 0...20),
        KillPoint(
            "while a stop takes the log over", "write stopping: ", "sync -wal", "pwrite",
            signal: SIGTERM, repeats: 0...20),
        // The order of the calls in one change.
        KillPoint("within the transaction", insertion),
        KillPoint("before the commit", insertion, "step COMMIT"),
        KillPoint("while the commit is written", insertion, "pwrite -wal", "pwrite -wal"),
        KillPoint("while the disk takes the commit over", insertion, "sync -wal"),
        KillPoint("after the commit, before the report", insertion, "step COMMIT", report),
        KillPoint(
            "after the report, before the mark", insertion, report, mark, repeats: 20...20),
        KillPoint(
            "while the mark is written", insertion, report, mark, "pwrite -wal", "pwrite -wal",
            repeats: 20...20),
        KillPoint("after the mark", insertion, report, mark, "step COMMIT", "step"),
        // Only the first life gets to a change of its own; the others tell it, again and again.
        KillPoint(
            "after the report of what was left over, before its mark", report, mark,
            repeats: 20...20),
    ]
}

/// A daemon that is killed again and again, and what it told in all of its lives.
private final class CrashingDaemon: Sendable {
    private let directory: TemporaryDirectory
    private let server: LoopbackServer
    private let names: [EndpointName]
    private let output = Watched("")

    init(endpoints count: Int) throws {
        server = try LoopbackServer { .json("\($0.number)") }
        names = try (0..<count).map { try #require(EndpointName(rawValue: "e\($0)")) }
        directory = try TemporaryDirectory()
        let endpoints = names.map { [server] name in
            "  - {name: \(name), url: \"\(server.url("/\(name)"))\", interval: 100ms}\n"
        }
        try directory.write("endpoints:\n" + endpoints.joined(), to: "pollard.yaml")
    }

    /// One life, to its end.
    ///
    /// - Parameters:
    ///   - environment: Further variables.
    ///   - body: Leads to the end.
    /// - Returns: How it ended.
    /// - Throws: What keeps it from being started or ended, or what `body` throws.
    @discardableResult
    func live(
        environment: [String] = [], _ body: (Subprocess) async throws -> Void
    ) async throws -> Subprocess.Status? {
        let process = try startDaemon(in: directory, environment: environment)
        try await body(process)
        let result = try await process.waitForExit()
        output.update { $0 += result.outputText }
        return result.status
    }

    /// What was told in all lives, and what is stored.
    struct End {
        /// The events, in the order in which they were told.
        var told: [String]
        var stored: [String]
        /// How many events were told once more.
        var repeats: Int { told.count - Set(told).count }
    }

    /// Lives once more, to the end in good order.
    func end() async throws -> End {
        let status = try await live { process in
            try await process.wait(for: "an event") { $0.outputText.contains("POLLARD_EVENT") }
            process.signal(SIGTERM)
        }
        #expect(status == .exited(0))
        // A line that the kill cut short tells nothing.
        let told = output.value.split(separator: "\n").compactMap { line -> String? in
            guard line.hasSuffix("}"), let value = try? JSONValue(parsing: String(line)),
                ["changed", "first-snapshot"].contains(value["POLLARD_KIND"]?.string)
            else { return nil }
            return value["POLLARD_EVENT"]?.string
        }
        let reader = try StoreReader(path: directory.path(of: "pollard.db"))
        let stored = try names.flatMap { try reader.changes(of: $0, limit: .max) }.map(\.event)
        return End(told: told, stored: stored)
    }
}
