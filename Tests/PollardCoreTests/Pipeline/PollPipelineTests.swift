// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Synchronization
import Testing

@Suite struct PollPipelineTests {
    @Test func `The first answer is stored and told as the first snapshot`() async throws {
        let fixture = try PipelineFixture([.json(#"{"price": 10}"#)])
        let result = await fixture.poll(times: 1)
        #expect(result.outcome == .first)
        #expect(fixture.reporter.messages == ["orders: first snapshot"])
        #expect(await fixture.store.reported == [1])
        #expect(result.state.snapshot?.id == 1)
    }

    @Test func `A change is told with its differences, after it is stored`() async throws {
        let fixture = try PipelineFixture([.json(#"{"price": 10}"#), .json(#"{"price": 12}"#)])
        let result = await fixture.poll(times: 2)
        #expect(result.outcome == .changed)
        #expect(
            fixture.reporter.messages.last == "orders: changed: 1 updated\n~ /price 10 -> 12")
        #expect(await fixture.store.steps == ["commit", "mark", "commit", "mark"])
        #expect(result.state.lastChange == result.state.lastPoll?.at)
    }

    @Test func `A to B and back to A are two changes`() async throws {
        let fixture = try PipelineFixture([.json("[1]"), .json("[2]"), .json("[1]")])
        #expect(await fixture.poll(times: 3).outcome == .changed)
        #expect(await fixture.store.commits.count == 3)
    }

    @Test func `White space, key order and number spelling are no change`() async throws {
        let fixture = try PipelineFixture([
            .json(#"{"a": 1, "b": 2.0}"#), .json(#"{"b":2,"a":1e0}"#, etag: #""2""#),
        ])
        let result = await fixture.poll(times: 2)
        #expect(result.outcome == .unchanged)
        #expect(fixture.reporter.messages == ["orders: first snapshot"])
        #expect(result.state.validators?.validators.entityTag == #""2""#)
    }

    @Test func `What is ignored is no change`() async throws {
        let fixture = try PipelineFixture([.json(#"{"t": 1}"#), .json(#"{"t": 2}"#)]) {
            $0.rules.ignore = [try PathPattern("/t")]
        }
        #expect(await fixture.poll(times: 2).outcome == .unchanged)
    }

    @Test func `Items that only moved are no change, and are told along with one`() async throws {
        let fixture = try PipelineFixture([
            .json(#"[{"id":1},{"id":2}]"#), .json(#"[{"id":2},{"id":1}]"#),
            .json(#"[{"id":2},{"id":1},{"id":3}]"#),
        ]) {
            $0.rules.identity = [
                IdentityRule(list: nil, identity: .pointer(try PathPattern("/id")))
            ]
        }
        let moved = await fixture.poll(times: 2)
        #expect(moved.outcome == .unchanged)
        #expect(await fixture.poll(times: 1, from: moved.state).outcome == .changed)
        #expect(fixture.reporter.messages.last?.contains("1 added, 1 moved") == true)
    }

    // MARK: - Failures

    @Test func `An error never becomes a snapshot and never looks like a change`() async throws {
        let fixture = try PipelineFixture([
            .json("[1]"), .status(503, "Service Unavailable"), .refused, .json("[1]"),
        ])
        let result = await fixture.poll(times: 4)
        #expect(result.outcome == .unchanged)
        #expect(await fixture.store.commits.count == 1)
        #expect(
            fixture.reporter.messages == [
                "orders: first snapshot", "orders: failing: status 503 Service Unavailable",
                "orders: recovered after 2min (2 failed polls)",
            ])
    }

    @Test func `Below the threshold a failure is counted and not told`() async throws {
        let fixture = try PipelineFixture([.refused, .refused, .refused]) { $0.alert.after = 3 }
        #expect(await fixture.poll(times: 2).state.alert.consecutiveFailures == 2)
        #expect(fixture.reporter.entries.isEmpty)
        #expect(fixture.store.noted.map(\.isFailure) == [true, true])
    }

    @Test func `The event of a failure carries its class and cause`() async throws {
        let fixture = try PipelineFixture([.refused])
        _ = await fixture.poll(times: 1)
        let entry = try #require(fixture.reporter.entries.first)
        #expect(entry.id == .failing && entry.priority == .err)
        #expect(entry.fields.contains(.init("POLLARD_FAILURE", "connect")))
        #expect(
            entry.fields.contains(
                .init("POLLARD_ERROR", "connection refused by 192.0.2.1 port 443")))
    }

    @Test func `A reminder has the cause of the last failure, the count and the time`()
        async throws
    {
        let fixture = try PipelineFixture([
            .json("[1]"), .status(503, "Service Unavailable"), .refused, .refused,
        ]) {
            $0.alert.remind = .seconds(120)
        }
        let result = await fixture.poll(times: 4)
        #expect(
            fixture.reporter.messages == [
                "orders: first snapshot", "orders: failing: status 503 Service Unavailable",
                """
                orders: still failing for 2min: connection refused by 192.0.2.1 port 443 \
                (3 failed polls)
                """,
            ])
        let entry = try #require(fixture.reporter.entries.last)
        #expect(entry.id == .stillFailing && entry.priority == .warning)
        #expect(
            entry.fields == [
                .init("POLLARD_KIND", "still-failing"), .init("POLLARD_ENDPOINT", "orders"),
                .init("POLLARD_URL", "https://api.example.com/orders"),
                .init("POLLARD_METHOD", "GET"), .init("POLLARD_EVENT", "event-3"),
                .init("POLLARD_DURATION_USEC", "0"), .init("POLLARD_ATTEMPTS", "1"),
                .init("POLLARD_FAILURE", "connect"), .init("POLLARD_PHASE", "connect"),
                .init("POLLARD_ERROR", "connection refused by 192.0.2.1 port 443"),
                .init("POLLARD_FAILURES", "3"), .init("POLLARD_OUTAGE_USEC", "120000000"),
            ])
        #expect(fixture.store.noted.last?.state == result.state)
        #expect(result.state.alert.remindedAt == result.state.lastPoll?.at)
    }

    @Test func `A recovery is told before it is stored that it was told`() async throws {
        let fixture = try PipelineFixture([.json("[1]"), .refused, .json("[2]")])
        let failed = await fixture.poll(times: 2)
        let reporter = fixture.reporter
        let told = Mutex<[String]>([])
        await fixture.store.atCommit { told.withLock { $0 = reporter.messages } }
        _ = await fixture.poll(times: 1, from: failed.state)
        #expect(told.withLock { $0.last } == "orders: recovered after 1min (1 failed poll)")
        #expect(fixture.reporter.messages.last?.hasPrefix("orders: changed") == true)
    }

    @Test func `A poll that is cancelled counts for nothing`() async throws {
        let fixture = try PipelineFixture([.refused])
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await fixture.poll(times: 1)
        }
        let result = await task.value
        #expect(result == PollResult(outcome: .cancelled, state: EndpointState()))
        #expect(fixture.reporter.entries.isEmpty)
        #expect(fixture.store.noted.isEmpty)
    }

    @Test func `A request given up before it was sent would have counted as a failure`()
        async throws
    {
        var failure = PollFailure(kind: .connect, message: "the request was cancelled")
        failure.isCancelled = true
        let fixture = try PipelineFixture([.failure(failure)])
        let result = await fixture.poll(times: 1)
        #expect(result == PollResult(outcome: .cancelled, state: EndpointState()))
        #expect(fixture.reporter.entries.isEmpty && fixture.store.noted.isEmpty)
    }

    @Test func `A poll is told at debug with its outcome, attempts and lateness`() async throws {
        let fixture = try PipelineFixture([.json("[1]"), .refused])
        let first = await fixture.poll(times: 1)
        let entry = try #require(
            EventEntry.polled(fixture.endpoint, first, late: .microseconds(1500)))
        #expect(entry.priority == .debug && entry.id == .polled)
        #expect(entry.message == "orders: 200 in 0 µs: first snapshot")
        #expect(
            entry.fields.suffix(2) == [
                .init("POLLARD_ATTEMPTS", "1"), .init("POLLARD_LATE_USEC", "1500"),
            ])
        let failed = await fixture.poll(times: 1, from: first.state)
        #expect(
            EventEntry.polled(fixture.endpoint, failed, late: .zero)?.message
                == "orders: 0 µs: connection refused by 192.0.2.1 port 443")
    }

    // MARK: - Secrets

    @Test func `A secret that the server echoes reaches neither store nor report`() async throws {
        let fixture = try PipelineFixture([
            .json(#"{"you": "nobody"}"#), .json(#"{"you": "hunter2-token"}"#),
            .failure(PollFailure(kind: .body, message: "odd line 'hunter2-token'")),
        ]) {
            $0.request.authentication = .bearer(Secret("hunter2-token"))
        }
        _ = await fixture.poll(times: 3)
        let summary = try #require(await fixture.store.commits.last?.summary)
        #expect(summary.lines == [#"~ /you "nobody" -> "[secret]""#])
        for entry in fixture.reporter.entries {
            #expect(!entry.message.contains("hunter2"))
            #expect(entry.fields.allSatisfy { !$0.value.contains("hunter2") })
        }
    }
}
