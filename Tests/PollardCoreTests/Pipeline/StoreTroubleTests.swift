// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct StoreTroubleTests {
    @Test func `A change that was not stored is not told, and is seen again`() async throws {
        let fixture = try PipelineFixture([.json("[1]"), .json("[1]"), .json("[1]")])
        await fixture.store.fail("disk full")
        let lost = await fixture.poll(times: 2)
        #expect(lost.outcome == .notStored && lost.state.snapshot == nil)
        await fixture.store.fail(nil)
        #expect(await fixture.poll(times: 1, from: lost.state).outcome == .first)
        #expect(
            fixture.reporter.messages == [
                "store trouble: disk full; continuing without storing",
                "store trouble is over; storing again", "orders: first snapshot",
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
                "store trouble: input/output error; continuing without storing",
                "store trouble is over; storing again",
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
                "store trouble: disk full; continuing without storing",
            ])
    }

    @Test func `Trouble is over once all that failed has been made up for`() throws {
        let (a, b) = (try "a".endpoint, try "b".endpoint)
        let health = StoreHealth()
        #expect(!health.noteSuccess() && !health.noteSuccess(of: a))
        #expect(health.noteFailure(of: a))
        #expect(!health.noteFailure(of: a) && !health.noteFailure(of: b) && !health.noteFailure())
        // Small writes that succeed meanwhile end nothing.
        #expect(!health.noteSuccess() && !health.noteSuccess(of: a))
        #expect(!health.noteFailure(of: a) && !health.noteSuccess(of: b))
        #expect(health.noteSuccess(of: a))
        #expect(!health.noteSuccess(of: a) && health.noteFailure())
    }
}
