// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

/// What waits for the store, when a part of it can't be stored.
@Suite(.timeLimit(.minutes(5))) struct ChangeRecorderTests {
    private let store = MemoryStore()
    private let reporter = RecordingReporter()
    private let changes: ChangeRecorder

    init() {
        // Nothing fails slowly, however busy the machine is.
        changes = ChangeRecorder(store: store, reporter: reporter, patience: testPatience)
    }

    private func endpoint(_ name: String) throws -> WatchedEndpoint {
        WatchedEndpoint(
            EndpointConfiguration(
                name: try name.endpoint, request: RequestConfiguration(url: "http://127.0.0.1/")))
    }

    @discardableResult
    private func record(
        _ body: String, of name: String, with changes: ChangeRecorder? = nil
    ) async throws -> ChangeRecorder.Outcome {
        let body = Array(body.utf8)
        let change = NewChange(
            kind: .first, event: "event of \(name)", digest: MemoryStore.digest(of: body),
            body: body, contentType: nil, takenAt: Timestamp(microseconds: 0), previous: nil,
            summary: ChangeSummary(), state: EndpointState())
        return await (changes ?? self.changes).record(
            change, of: try endpoint(name), after: EndpointState())
    }

    /// Lets changes wait, each of another endpoint: `a`, `b` and so on.
    private func keep(_ bodies: [String]) async throws {
        await store.fail("disk full")
        for (name, body) in zip("abcdefgh", bodies) { try await record(body, of: String(name)) }
        await store.fail(nil)
    }

    @Test func `One change that did not fit lost all others at the stop`() async throws {
        try await keep(["large", "1", "2"])
        await store.refuse("large")
        #expect(await changes.finish() == 1)
        #expect(await store.commits.map { String(decoding: $0.body, as: UTF8.self) } == ["1", "2"])
        #expect(
            reporter.messages == [
                "store trouble: disk full; continuing, changes wait in memory",
                "b: first snapshot", "c: first snapshot",
                """
                store trouble: 1 change could not be stored before the end: a (1); the next \
                start tells what differs then from what is stored
                """,
            ])
    }

    @Test func `Changes that can't be stored held up others, each by a second`() async throws {
        let stuck = ["large 1", "large 2", "large 3", "large 4"]
        try await keep(stuck + ["1", "2"])
        for body in stuck { await store.refuse(body) }
        #expect(await changes.storePending() == 2)
        #expect(changes.troubleText == "store trouble: 4 changes wait to be stored")
    }

    @Test func `A store that fails slowly is tried once a pass, with another endpoint each time`()
        async throws
    {
        let changes = ChangeRecorder(store: store, reporter: reporter, patience: .nanoseconds(1))
        await store.fail("locked")
        for (name, body) in [("a", "1"), ("b", "2"), ("c", "3")] {
            try await record(body, of: name, with: changes)
        }
        let before = await store.attempts.count
        for _ in 0..<4 { #expect(await changes.storePending() == 0) }
        #expect(await store.attempts.dropFirst(before) == ["1", "2", "3", "1"])
    }

    @Test func `A change stored late brought back the event file of a removed endpoint`()
        async throws
    {
        try await keep(["1", "2"])
        changes.forget(try "a".endpoint)
        #expect(await changes.storePending() == 2)
        let messages = reporter.messages
        let told = try #require(messages.firstIndex(of: "a: first snapshot"))
        #expect(reporter.forgotten.map(\.name.rawValue) == ["a", "a"])
        #expect(reporter.forgotten.last.map { $0.entries > told } == true)
    }

    @Test func `The event file of an endpoint that came back is left alone`() async throws {
        try await keep(["1"])
        let name = try "a".endpoint
        changes.forget(name)
        changes.note(
            NotedPoll(
                name: name, at: Timestamp(microseconds: 1), duration: .zero, isFailure: false,
                state: EndpointState()))
        #expect(await changes.storePending() == 1)
        #expect(reporter.forgotten.map(\.name) == [name])
    }

    @Test func `What the last run left was not told if it could not be read at the start`()
        async throws
    {
        let snapshot = Snapshot(
            id: 77, digest: MemoryStore.digest(of: []), contentType: nil,
            takenAt: Timestamp(microseconds: 0))
        let left = StoredChange(
            id: 77, name: try "left".endpoint, kind: .first, event: "old", snapshot: snapshot,
            previousDigest: nil, summary: ChangeSummary())
        await store.leave([left])
        await store.fail("input/output error", at: .read)
        await changes.reportLeftOver(of: [:])
        await store.fail("disk full", at: .mark)
        try await record("1", of: "a")
        changes.noteSuccess(of: .notes)
        #expect(changes.troubleText == "store trouble", "it is not over with the next flush")
        await store.fail(nil, at: .mark)
        await store.fail(nil, at: .read)
        let running = Task { await changes.run() }
        defer { running.cancel() }
        try await waitUntil("the end of the trouble") { changes.troubleText == nil }
        #expect(
            reporter.messages == [
                """
                store trouble: input/output error; continuing, what the last run did not report \
                is told later
                """, "a: first snapshot", "left: first snapshot", "store trouble is over",
            ], "and what this run found is told once")
        #expect(await store.reported == [77])
    }

    @Test func `A reader of events that stood still held up every poll`() async throws {
        let held = HeldReporter()
        let changes = ChangeRecorder(store: store, reporter: held)
        let trouble = Task.detached {
            changes.noteFailure(of: .notes, MemoryStore.Trouble(description: "disk full"))
        }
        try await held.state.wait(for: "the report") { $0.isReporting }
        changes.note(
            NotedPoll(
                name: try "a".endpoint, at: Timestamp(microseconds: 1), duration: .zero,
                isFailure: false, state: EndpointState()))
        #expect(store.noted.count == 1)
        held.state.update { $0.mayReturn = true }
        await trouble.value
    }

    /// A reporter that returns when it may.
    private final class HeldReporter: Reporting {
        let state = Watched<(isReporting: Bool, mayReturn: Bool)>((false, false))

        func report(_ entry: EventEntry) {
            state.update { $0.isReporting = true }
            while !state.value.mayReturn {}
        }
    }
}
