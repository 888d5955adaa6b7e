// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

@Suite struct StoreTroubleTests {
    @Test func `A value that came and went while the disk was full is stored and told later`()
        async throws
    {
        let fixture = try PipelineFixture([
            .json("[1]", etag: #""1""#), .json("[2]", etag: #""2""#), .json("[1]", etag: #""3""#),
            .status(304), .json("[3]"),
        ])
        let first = await fixture.poll(times: 1)
        await fixture.store.fail("disk full")
        let kept = await fixture.poll(times: 2, from: first.state)
        #expect(kept.outcome == .kept)
        // Each was compared with the one before, and has its validators.
        let same = await fixture.poll(times: 1, from: kept.state)
        #expect(same.outcome == .unchanged)
        #expect(fixture.fetcher.sentValidators.last == Validators(entityTag: #""3""#))
        #expect(fixture.changes.troubleText == "store trouble: 2 changes wait to be stored")
        #expect(await fixture.changes.storePending() == 0)
        #expect(await fixture.store.commits.count == 1)

        await fixture.store.fail(nil)
        #expect(await fixture.changes.storePending() == 2)
        #expect(fixture.changes.troubleText == nil)
        #expect(await fixture.poll(times: 1, from: same.state).outcome == .changed)
        #expect(
            await fixture.store.commits.map(\.body) == ["[1]", "[2]", "[1]", "[3]"].map(\.bytes))
        #expect(
            await fixture.store.commits.map(\.takenAt.minute) == [1, 2, 3, 5])
        #expect(await fixture.store.commits.map(\.event) == (1...4).map { "event-\($0)" })
        #expect(await fixture.store.reported == [1, 2, 3, 4])
        #expect(
            fixture.reporter.messages == [
                "orders: first snapshot",
                "store trouble: disk full; continuing, changes wait in memory",
                "orders: changed: 1 updated\n~ /0 1 -> 2",
                "orders: changed: 1 updated\n~ /0 2 -> 1",
                "store trouble is over; 2 changes that waited are stored",
                "orders: changed: 1 updated\n~ /0 1 -> 3",
            ])
    }

    @Test
    func `A first snapshot that waits is what polls compare with, and told once it is stored`()
        async throws
    {
        let fixture = try PipelineFixture([.json("[1]"), .json("[1]"), .json("[2]")])
        await fixture.store.fail("disk full")
        let kept = await fixture.poll(times: 1)
        #expect(kept.outcome == .kept && kept.state.snapshot?.id == Snapshot.unstored)
        let same = await fixture.poll(times: 1, from: kept.state)
        #expect(same.outcome == .unchanged)
        // Not told as over by a poll without news.
        #expect(fixture.changes.troubleText == "store trouble: 1 change waits to be stored")
        await fixture.store.fail(nil)
        // What is found meanwhile waits its turn.
        #expect(await fixture.poll(times: 1, from: same.state).outcome == .kept)
        #expect(await fixture.store.commits.isEmpty)
        #expect(await fixture.changes.storePending() == 2)
        #expect(
            fixture.reporter.messages == [
                "store trouble: disk full; continuing, changes wait in memory",
                "orders: first snapshot", "orders: changed: 1 updated\n~ /0 1 -> 2",
                "store trouble is over; 2 changes that waited are stored",
            ])
    }

    @Test func `Validators reach the store with their snapshot, all else that is known at once`()
        async throws
    {
        let fixture = try PipelineFixture([
            .json("[1]", etag: #""1""#), .json("[2]", etag: #""2""#), .refused,
        ])
        let name = fixture.endpoint.name
        let first = await fixture.poll(times: 1)
        await fixture.store.fail("disk full")
        let failed = await fixture.poll(times: 2, from: first.state)
        #expect(failed.state.validators?.validators.entityTag == #""2""#)
        let during = try #require(try await fixture.store.states()[name])
        #expect(during.validators == nil, "they would hide that 2 became 1 again")
        #expect(during.snapshot == first.state.snapshot && during.lastChange == nil)
        #expect(during.alert.isFailing && during.lastPoll == failed.state.lastPoll)
        // A reload gives an endpoint that comes back what it is compared with.
        #expect(try await fixture.changes.states()[name] == failed.state)

        await fixture.store.fail(nil)
        await fixture.changes.storePending()
        var after = failed.state
        after.snapshot?.id = 2
        #expect(try await fixture.store.states()[name] == after)
        #expect(after.validators?.validators.entityTag == #""2""#)
    }

    @Test func `Without room polling goes on, and nothing lies`() async throws {
        let large = String(repeating: "1", count: 9 << 20)
        let fixture = try PipelineFixture([
            .json("[0]"), .json("[\(large)]"), .json("[2, \(large)]"), .json("[3]"), .json("[3]"),
        ])
        let first = await fixture.poll(times: 1)
        await fixture.store.fail("disk full")
        let kept = await fixture.poll(times: 1, from: first.state)
        #expect(kept.outcome == .kept)
        let refused = await fixture.poll(times: 1, from: kept.state)
        #expect(refused.outcome == .notStored)
        #expect(refused.state.snapshot == kept.state.snapshot)
        await fixture.store.fail(nil)
        await fixture.changes.storePending()
        // The difference that had no room is missing still.
        #expect(fixture.changes.troubleText == "store trouble")
        let found = await fixture.poll(times: 1, from: refused.state)
        #expect(found.outcome == .changed)
        #expect(
            fixture.reporter.entries.filter { $0.id == .storeTrouble }.map(\.message) == [
                "store trouble: disk full; continuing, changes wait in memory",
                """
                store trouble: there is no room in memory for a change of orders (1 change waits \
                to be stored); continuing, its next poll is compared with what was kept last
                """,
                "store trouble is over; 1 change that waited is stored",
            ])
    }

    @Test func `What an endpoint changed is told although it is no longer polled`() async throws {
        let fixture = try PipelineFixture([.json("[1]")])
        await fixture.store.fail("disk full")
        _ = await fixture.poll(times: 1)
        fixture.pipeline.forget(fixture.endpoint.name)
        #expect(fixture.changes.troubleText == "store trouble: 1 change waits to be stored")
        await fixture.store.fail(nil)
        await fixture.changes.storePending()
        #expect(fixture.reporter.messages[1] == "orders: first snapshot")
    }

    @Test func `What waits is stored without another poll`() async throws {
        let fixture = try PipelineFixture([.json("[1]")])
        await fixture.store.fail("disk full")
        _ = await fixture.poll(times: 1)
        await fixture.store.fail(nil)
        let running = Task { await fixture.changes.run() }
        defer { running.cancel() }
        try await waitUntil("the end of the trouble") { fixture.changes.troubleText == nil }
        #expect(await fixture.store.commits.count == 1)
    }

    @Test func `A stop tells what waited in vain, after one more attempt`() async throws {
        let fixture = try PipelineFixture([.json("[1]"), .json("[2]"), .json("[3]")])
        await fixture.store.fail("disk full")
        let kept = await fixture.poll(times: 2)
        #expect(await fixture.changes.finish() == 2)
        #expect(
            fixture.reporter.messages == [
                "store trouble: disk full; continuing, changes wait in memory",
                """
                store trouble: 2 changes could not be stored before the end: orders (2); the \
                next start tells what differs then from what is stored
                """,
            ])
        #expect(fixture.reporter.entries.last?.priority == .crit)

        await fixture.store.fail(nil)
        _ = await fixture.poll(times: 1, from: kept.state)
        #expect(await fixture.changes.finish() == 0)
        #expect(
            fixture.reporter.messages.suffix(2) == [
                "orders: changed: 1 updated\n~ /0 2 -> 3",
                "store trouble is over; 3 changes that waited are stored",
            ])
    }

    @Test func `A change from a snapshot that is gone is told without details`() async throws {
        let fixture = try PipelineFixture([.json("[1]"), .json("[2]")])
        let first = await fixture.poll(times: 1)
        let digest = try #require(first.state.snapshot?.digest)
        await fixture.store.forget(digest)
        #expect(await fixture.poll(times: 1, from: first.state).outcome == .changed)
        #expect(
            fixture.reporter.messages.last == """
                orders: changed: 1 updated
                ~ (whole document)
                note: the previous snapshot can't be compared: the store has no body \(digest)
                """)
    }

    @Test func `A snapshot that can't be read this time is no reason for a false change`()
        async throws
    {
        let fixture = try PipelineFixture([
            .json(#"{"a": 1}"#, etag: #""1""#), .json(#"{"a": 1.0}"#, etag: #""2""#),
            .json(#"{"a": 1.0}"#, etag: #""2""#),
        ])
        let first = await fixture.poll(times: 1)
        await fixture.store.fail("input/output error", at: .read)
        let unread = await fixture.poll(times: 1, from: first.state)
        #expect(unread.outcome == .notStored)
        #expect(unread.state.snapshot == first.state.snapshot)
        #expect(unread.state.validators == first.state.validators)
        await fixture.store.fail(nil, at: .read)
        #expect(await fixture.poll(times: 1, from: unread.state).outcome == .unchanged)
        #expect(
            fixture.reporter.messages == [
                "orders: first snapshot",
                "store trouble: input/output error; continuing, the next answer is compared again",
                "store trouble is over",
            ])
    }

    @Test func `A change whose mark fails is stored and told once`() async throws {
        let fixture = try PipelineFixture([.json("[1]"), .json("[2]"), .json("[2]")])
        let first = await fixture.poll(times: 1)
        await fixture.store.fail("disk full", at: .mark)
        let changed = await fixture.poll(times: 1, from: first.state)
        #expect(changed.outcome == .changed && changed.state.snapshot?.id == 2)
        #expect(await fixture.poll(times: 1, from: changed.state).outcome == .unchanged)
        #expect(await fixture.store.commits.count == 2)
        #expect(
            fixture.reporter.messages == [
                "orders: first snapshot", "orders: changed: 1 updated\n~ /0 1 -> 2",
                "store trouble: disk full; continuing, what is noted of polls waits in memory",
            ])
    }

    @Test func `Trouble is over once all that failed has been made up for`() throws {
        struct Full: Error, CustomStringConvertible { let description = "full" }
        let (a, b) = (try "a".endpoint, try "b".endpoint)
        var health = StoreHealth()
        health.noteUpToDate(a)
        let healthy = health.takeNews()
        #expect(healthy.isEmpty)
        health.noteUncompared(a, Full())
        health.noteUncompared(b, Full())
        health.noteFailure(of: .notes, Full())
        let begin = health.takeNews().map(\.message)
        #expect(begin == ["store trouble: full; continuing, the next answer is compared again"])
        // Small writes that succeed meanwhile end nothing.
        health.noteSuccess(of: .notes)
        health.noteUpToDate(a)
        health.noteFailure(of: .states, Full())
        #expect(!health.hasNews)
        health.noteUpToDate(b)
        health.noteSuccess(of: .notes)
        let end = health.takeNews().map(\.message)
        #expect(end == ["store trouble is over"])
        health.noteFailure(of: .notes, Full())
        #expect(health.hasNews)
    }

    @Test(
        arguments: [
            (.change, "changes wait in memory"),
            (.comparison, "the next answer is compared again"),
            (.notes, "what is noted of polls waits in memory"),
            (.states, "endpoints that were added begin without what is stored of them"),
            (.leftOver, "what the last run did not report is told later"),
        ] as [(StoreHealth.Work, String)])
    func `Changes were said to wait when something else had failed`(
        work: StoreHealth.Work, consequence: String
    ) {
        #expect(
            EventEntry.storeTrouble("disk full", work).message
                == "store trouble: disk full; continuing, \(consequence)")
    }
}

extension String {
    fileprivate var bytes: [UInt8] { Array(utf8) }
}

extension Timestamp {
    /// The minute of the fixture's clock.
    fileprivate var minute: Int64 { (microseconds - 1_800_000_000_000_000) / 60_000_000 }
}
