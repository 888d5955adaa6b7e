// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

/// What is sent and kept so that unchanged content need not be sent.
@Suite struct PollValidatorTests {
    @Test func `Validators are sent with the snapshot that they belong to`() async throws {
        let fixture = try PipelineFixture([.json("[1]", etag: #""v1""#), .status(304)])
        let result = await fixture.poll(times: 2)
        #expect(result.outcome == .unchanged)
        #expect(
            fixture.fetcher.sentValidators == [Validators(), Validators(entityTag: #""v1""#)])
    }

    @Test func `A 304 without validators keeps those that were sent`() async throws {
        let fixture = try PipelineFixture([
            .json("[1]", etag: #""v1""#), .status(304), .status(304),
        ])
        _ = await fixture.poll(times: 3)
        #expect(fixture.fetcher.sentValidators.last == Validators(entityTag: #""v1""#))
    }

    @Test(arguments: [#""v1""#, #"W/"v1""#])
    func `A 304 with the validators that were sent keeps them`(tag: String) async throws {
        let fixture = try PipelineFixture([
            .json("[1]", etag: #""v1""#), .status(304, etag: tag), .status(304),
        ])
        _ = await fixture.poll(times: 3)
        #expect(fixture.fetcher.sentValidators.last == Validators(entityTag: #""v1""#))
    }

    @Test(arguments: [
        (Validators(entityTag: #""v1""#), Validators(entityTag: #""v2""#)),
        (Validators(lastModified: "Monday"), Validators(entityTag: #""v2""#)),
        (Validators(lastModified: "Monday"), Validators(lastModified: "Tuesday")),
    ])
    func `A 304 with the validators of another body never hides that body`(
        sent: Validators, received: Validators
    ) async throws {
        let fixture = try PipelineFixture([
            .success(Answer(status: 200, body: [1], validators: sent)),
            .success(Answer(status: 304, validators: received)),
            .success(Answer(status: 200, body: [2], validators: received)),
        ])
        #expect(await fixture.poll(times: 3).outcome == .changed)
        #expect(fixture.fetcher.sentValidators == [Validators(), sent, Validators()])
    }

    @Test func `A new answer without validators drops the old ones`() async throws {
        let fixture = try PipelineFixture([
            .json("[1]", etag: #""v1""#), .json("[2]"), .json("[2]"),
        ])
        _ = await fixture.poll(times: 3)
        #expect(fixture.fetcher.sentValidators.last == Validators())
    }

    @Test func `A malformed answer leaves the old validators, so its change is seen later`()
        async throws
    {
        let fixture = try PipelineFixture([
            .json("[1]", etag: #""v1""#), .json("[2", etag: #""v2""#),
            .json("[2]", etag: #""v2""#),
        ])
        let failed = await fixture.poll(times: 2)
        #expect(failed.outcome == .failed(.extract))
        #expect(failed.state.lastPoll?.status == 200)
        #expect(failed.state.validators?.validators.entityTag == #""v1""#)
        #expect(await fixture.poll(times: 1, from: failed.state).outcome == .changed)
    }

    @Test func `An edited rule sends no validators, and shows what the old rule hid`() async throws
    {
        let before = try PipelineFixture([.json(#"{"t": 1}"#, etag: #""v1""#)]) {
            $0.rules.ignore = [try PathPattern("/t")]
        }
        let state = await before.poll(times: 1).state
        let after = try PipelineFixture([.json(#"{"t": 2}"#, etag: #""v1""#)])
        await after.store.adopt(before.store)
        let result = await after.poll(times: 1, from: state)
        #expect(after.fetcher.sentValidators == [Validators()])
        #expect(result.outcome == .changed)
    }

    @Test func `An edited rule reports no false change`() async throws {
        let before = try PipelineFixture([.json(#"{"a": 1, "t": 1}"#)])
        let state = await before.poll(times: 1).state
        let after = try PipelineFixture([.json(#"{"a": 1, "t": 2}"#)]) {
            $0.rules.ignore = [try PathPattern("/t")]
        }
        await after.store.adopt(before.store)
        #expect(await after.poll(times: 1, from: state).outcome == .unchanged)
    }

    @Test func `With cache none no validators are sent`() async throws {
        let fixture = try PipelineFixture([.json("[1]", etag: #""v1""#), .json("[1]")]) {
            $0.cache = .none
        }
        _ = await fixture.poll(times: 2)
        #expect(fixture.fetcher.sentValidators == [Validators(), Validators()])
    }

    @Test func `A 304 that nobody asked for is a failure`() async throws {
        let fixture = try PipelineFixture([.status(304, "Not Modified")])
        #expect(await fixture.poll(times: 1).outcome == .failed(.status))
        #expect(fixture.reporter.messages == ["orders: failing: status 304 Not Modified"])
    }
}

extension MemoryStore {
    /// Takes over the bodies of another store.
    fileprivate func adopt(_ other: MemoryStore) async {
        let bodies = await other.bodies
        for (digest, body) in bodies { insert(body, as: digest) }
    }
}
