// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

@testable import PollardStore

@Suite struct SQLiteStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `A new store is empty`() async throws {
        let store = try SQLiteStore(path: directory.store)
        #expect(try await store.states() == [:])
        #expect(try await store.unreportedChanges() == [])
        #expect(try await store.body(store.digest(of: [1])) == nil)
        #expect(try await store.changeCount(since: .minute(0)) == 0)
    }

    @Test func `A commit gives the change back as it is stored`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let first = try await store.commit(.to(bytes("[1]"), minute: 1), for: "a")
        var change = NewChange.to(bytes("[2]"), after: first.snapshot, minute: 2)
        change.summary.removed = 3
        change.summary.moved = 4
        change.summary.added = 5
        change.summary.furtherLines = 6
        change.summary.isPatchTruncated = true
        change.summary.remarks = ["two items have the identity 7", "line\nbreak"]
        change.contentType = nil
        change.state.lastPoll?.duration = .nanoseconds(1_234_567)
        let second = try await store.commit(change, for: "a")

        #expect(first.id == 1)
        #expect(
            second
                == StoredChange(
                    id: 2, name: "a", kind: .changed, event: .hexadecimal(2),
                    snapshot: Snapshot(
                        id: 2, digest: change.digest, contentType: nil, takenAt: .minute(2)),
                    previousDigest: first.snapshot.digest, summary: change.summary,
                    poll: EndpointState.LastPoll(
                        at: .minute(2), duration: .microseconds(1_234), status: 200,
                        failure: nil, attempts: 2)))
        #expect(try await store.unreportedChanges() == [first, second])
        #expect(try await store.changeCount(since: .minute(0)) == 1)
        #expect(try await store.changeCount(since: .minute(3)) == 0)
        #expect(try await store.body(change.digest) == bytes("[2]"))
    }

    @Test func `State and changes are there after a restart`() async throws {
        var change = NewChange.to(bytes("[1]"), minute: 1)
        change.state.validators = EndpointState.KeptValidators(
            validators: Validators(entityTag: "W/\"x\"", lastModified: nil), fingerprint: "f1")
        change.state.alert.consecutiveFailures = 2
        change.state.alert.consecutiveSuccesses = 3
        change.state.alert.failures = 7
        change.state.alert.failedSince = .minute(-5)
        change.state.alert.isFailing = true
        change.state.alert.remindedAt = .minute(-2)
        change.state.alert.recentFailures = 1 << 63 | 5
        change.state.certificate.toldAt = .minute(-3)
        var store = try SQLiteStore(path: directory.store)
        let stored = try await store.commit(change, for: "a")
        try await store.close()

        store = try SQLiteStore(path: directory.store)
        var state = change.state
        state.snapshot = stored.snapshot
        #expect(try await store.states() == ["a": state])
        #expect(try await store.unreportedChanges() == [stored])
        #expect(try await store.body(change.digest) == bytes("[1]"))
    }

    @Test func `A change is unreported until it is marked`() async throws {
        var store = try SQLiteStore(path: directory.store)
        let first = try await store.commit(.to(bytes("1"), minute: 1), for: "a")
        let second = try await store.commit(.to(bytes("2"), minute: 2), for: "b")
        try await store.markReported(first.id)
        try await store.markReported(first.id)
        try await store.close()

        store = try SQLiteStore(path: directory.store)
        #expect(try await store.unreportedChanges() == [second])
        try await store.markReported(second.id)
        #expect(try await store.unreportedChanges() == [])
        await expect("there is no change 3 in the store '\(directory.store)'") {
            try await store.markReported(3)
        }
    }

    @Test func `A to B and back to A are two changes that share a body`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let a = try await store.commit(.to(bytes("A"), minute: 1), for: "x")
        let b = try await store.commit(.to(bytes("B"), after: a.snapshot, minute: 2), for: "x")
        let again = try await store.commit(
            .to(bytes("A"), after: b.snapshot, minute: 3), for: "x")
        #expect(again.snapshot.digest == a.snapshot.digest)
        #expect(again.previousDigest == b.snapshot.digest)
        #expect(try await store.unreportedChanges() == [a, b, again])
        #expect(try await store.states()["x"]?.snapshot == again.snapshot)
        try await store.close()

        let database = try Database(path: directory.store, mode: .readOnly, busyTimeout: .zero)
        #expect(try database.integer("SELECT count(*) FROM body") == 2)
        #expect(try database.integer("SELECT count(*) FROM snapshot") == 3)
    }

    @Test func `Endpoints share a body, and each has its own changes`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let a = try await store.commit(.to(bytes("[]"), minute: 1), for: "a")
        let b = try await store.commit(.to(bytes("[]"), minute: 2), for: "b")
        try await store.close()
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.changes(of: "a", limit: 9) == [a])
        #expect(try reader.changes(of: "b", limit: 9) == [b])
        let database = try Database(path: directory.store, mode: .readOnly, busyTimeout: .zero)
        #expect(try database.integer("SELECT count(*) FROM body") == 1)
    }

    @Test func `An event is stored once`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let first = try await store.commit(.to(bytes("1"), event: "e"), for: "a")
        await expect(
            "the store '\(directory.store)' failed: UNIQUE constraint failed: change.event"
        ) {
            _ = try await store.commit(.to(bytes("2"), event: "e"), for: "new")
        }
        // Nothing of the refused one is left, and its endpoint can be added after all.
        #expect(try await store.body(store.digest(of: bytes("2"))) == nil)
        #expect(try await store.states().keys.sorted() == ["a"])
        let second = try await store.commit(.to(bytes("2"), event: "f"), for: "new")
        #expect(try await store.unreportedChanges() == [first, second])
    }

    @Test func `Noted polls are seen at once and written by flush`() async throws {
        let store = try SQLiteStore(path: directory.store)
        store.note(.of("a", minute: 1))
        let last = NotedPoll.of("a", minute: 2, failure: "no answer", duration: .seconds(3))
        store.note(last)
        #expect(try await store.states() == ["a": last.state])
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.states() == [:])

        try await store.flush()
        #expect(try await store.states() == ["a": last.state])
        #expect(try reader.states() == ["a": last.state])
        store.note(.of("a", minute: 3))
        try await store.flush()
        let statistics = try reader.statistics(since: .minute(0))["a"]
        #expect(statistics?.polls == 3)
        #expect(statistics?.failures == 1)
        #expect(statistics?.latency.count == 2)
    }

    @Test func `A flush leaves the snapshot of an endpoint`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let change = try await store.commit(.to(bytes("1"), minute: 1), for: "a")
        var poll = NotedPoll.of("a", minute: 2)
        poll.state.snapshot = change.snapshot
        store.note(poll)
        try await store.flush()
        #expect(try await store.states() == ["a": poll.state])
    }

    @Test func `A commit supersedes a state noted before it`() async throws {
        let store = try SQLiteStore(path: directory.store)
        store.note(.of("a", minute: 1, failure: "no answer"))
        let change = NewChange.to(bytes("1"), minute: 2)
        let stored = try await store.commit(change, for: "a")
        try await store.flush()
        var state = change.state
        state.snapshot = stored.snapshot
        #expect(try await store.states() == ["a": state])
        // The poll itself still counts.
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.statistics(since: .minute(0))["a"]?.failures == 1)
    }

    @Test func `Closing writes what is noted, and ends the use`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let poll = NotedPoll.of("a", minute: 1)
        store.note(poll)
        try await store.close()
        try await store.close()
        await expect("the store '\(directory.store)' was closed") { _ = try await store.states() }
        #expect(try directory.names == ["pollard.db", "pollard.lock"])
        #expect(try StoreReader(path: directory.store).states() == ["a": poll.state])
    }
}
