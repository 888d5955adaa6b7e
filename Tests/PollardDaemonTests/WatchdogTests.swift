// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardHTTP
import PollardStore
import PollardSystemd
import PollardTestSupport
import Testing

@testable import PollardDaemon

@Suite struct WatchdogTests {
    /// Runs a watchdog with these signs until `isMet`.
    private func run(
        _ signs: [Watchdog.Sign], until isMet: @escaping @Sendable (Int) async throws -> Bool
    ) async throws -> Int {
        let told = Watched(0)
        let watchdog = Watchdog(
            limit: .milliseconds(20), signs: signs, tell: { told.update { $0 += 1 } })
        let task = Task { await watchdog.run() }
        defer { task.cancel() }
        try await waitUntil("what the test is about") { try await isMet(told.value) }
        return told.value
    }

    @Test func `It tells again and again while each part shows life`() async throws {
        let told = try await run([{ true }, { true }]) { $0 >= 5 }
        #expect(told >= 5)
    }

    @Test func `A part that hangs, or has ended, silences it`() async throws {
        let asked = Watched(0)
        let signs: [Watchdog.Sign] = [
            { true },
            {
                asked.update { $0 += 1 }
                return asked.value < 3
            },
        ]
        let told = try await run(signs) { _ in asked.value >= 6 }
        #expect(told == 2)

        let rounds = Watched(0)
        let never = Watched(false)
        let hanging: [Watchdog.Sign] = [
            {
                rounds.update { $0 += 1 }
                return true
            },
            {
                guard rounds.value >= 3 else { return true }
                return (try? await never.wait(for: "the end") { $0 }) ?? false
            },
        ]
        // A second watchdog shows that there was time for more.
        let other = Watched(0)
        let second = Watchdog(
            limit: .milliseconds(20), signs: [{ true }], tell: { other.update { $0 += 1 } })
        let task = Task { await second.run() }
        defer { task.cancel() }
        let toldBefore = try await run(hanging) { _ in
            rounds.value >= 3 && other.value >= 20
        }
        #expect(toldBefore < 4)
        #expect(rounds.value <= 4)
    }

    @Test(arguments: [
        (Duration.seconds(30), Duration.seconds(1)), (.seconds(5), .seconds(1)),
        (.seconds(1), .milliseconds(250)),
    ])
    func `It asks often enough for any limit`(limit: Duration, period: Duration) {
        #expect(Watchdog(limit: limit, signs: [], tell: {}).period == period)
    }
}

/// Of a part that the watchdog asks, whether it shows life only when it is alive.
@Suite struct ScheduleLifeTests {
    private struct Unused: Reporting {
        func report(_ entry: EventEntry) { Issue.record("\(entry)") }
    }

    private func loop(_ directory: TemporaryDirectory) throws -> PollLoop {
        let fetcher = HTTPFetcher(
            transport: try CurlTransport(), keptConnections: KeptConnections())
        let store = try SQLiteStore(path: directory.path(of: "pollard.db"))
        let pipeline = PollPipeline(
            fetcher: fetcher, changes: ChangeRecorder(store: store, reporter: Unused()),
            reporter: Unused(), now: { Timestamp.now() }, newEvent: { "" })
        return PollLoop(endpoints: [], states: [:], pipeline: pipeline)
    }

    @Test func `A loop that does not look at its queue shows no life, though its timer fires`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let loop = try loop(directory)
        let hasShown = Watched(false)
        let asking = Task {
            await loop.showLife()
            hasShown.update { $0 = true }
        }
        // Another one shows that there was time enough.
        let other = try self.loop(try TemporaryDirectory())
        let running = Task { await other.run() }
        for _ in 0..<20 { await other.showLife() }
        #expect(!hasShown.value)

        let late = Task { await loop.run() }
        try await hasShown.wait(for: "a sign of life") { $0 }
        await asking.value
        for loop in [loop, other] {
            loop.stop()
            await loop.showLife()
        }
        await running.value
        await late.value
    }
}

@Suite struct MoreTimeTests {
    @Test func `It asks again and again, but not for ever`() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let maximum = Duration.milliseconds(200)
        let bounded = Watched<[Duration]>([])
        let unbounded = Watched<[Duration]>([])
        let first = MoreTime(upTo: maximum, every: .milliseconds(10)) { _ in
            bounded.update { $0.append(clock.now - start) }
        }
        let second = MoreTime(upTo: .seconds(600), every: .milliseconds(10)) { step in
            unbounded.update { $0.append(step) }
        }
        try await bounded.wait(for: "several messages") { $0.count >= 2 }
        try await waitUntil("the end of the time") { clock.now - start > maximum * 2 }
        let count = bounded.value.count
        let later = unbounded.value.count
        try await unbounded.wait(for: "further messages") { $0.count >= later + 10 }
        #expect(bounded.value.count == count)
        #expect(unbounded.value.allSatisfy { $0 == .seconds(10) })
        second.end()
        withExtendedLifetime(first) {}
    }

    @Test func `It does not ask once the work is done`() async throws {
        let asked = Watched(0)
        let done = MoreTime(upTo: .seconds(600), every: .milliseconds(200)) { _ in
            asked.update { $0 += 1 }
        }
        done.end()
        let ticks = Watched(0)
        let other = MoreTime(upTo: .seconds(600), every: .milliseconds(200)) { _ in
            ticks.update { $0 += 1 }
        }
        try await ticks.wait(for: "the time that it would take") { $0 >= 2 }
        other.end()
        #expect(asked.value == 0)
    }
}
