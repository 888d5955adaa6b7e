// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import PollardCore
import PollardTestSupport
import Testing

@testable import PollardStore

@Suite struct StoreFaultTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `A write while another process holds the lock fails and loses nothing`()
        async throws
    {
        let store = try SQLiteStore(path: directory.store, busyTimeout: .milliseconds(20))
        let poll = NotedPoll.of("a", minute: 1)
        store.note(poll)
        let message =
            "the store '\(directory.store)' is locked by another process; "
            + "wait until that process is done, or end it; 'fuser \(directory.store)' names it"
        let tool = try Database.tool(directory.store)
        try tool.execute("BEGIN IMMEDIATE")
        await expect(message) { try await store.flush() }
        await expect(message) { _ = try await store.commit(.to([1]), for: "b") }
        // Reading goes on meanwhile.
        #expect(try await store.states() == ["a": poll.state])
        try tool.execute("ROLLBACK")
        try await store.flush()
        let change = try await store.commit(.to([1]), for: "b")
        #expect(try await store.unreportedChanges() == [change])
        #expect(try StoreReader(path: directory.store).states()["a"] == poll.state)
    }

    @Test func `A failed flush loses nothing, and later polls add to it`() async throws {
        let store = try SQLiteStore(path: directory.store, busyTimeout: .milliseconds(1))
        let tool = try Database.tool(directory.store)
        try tool.execute("BEGIN IMMEDIATE")
        for minute in 0..<Int64(5) {
            store.note(.of("a", minute: minute))
            await #expect(throws: StoreError.self) { try await store.flush() }
        }
        try tool.execute("ROLLBACK")
        try await store.flush()
        try await store.flush()
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.statistics(since: .minute(0))["a"]?.polls == 5)
        #expect(try reader.states()["a"]?.lastPoll?.at == .minute(4))
    }

    @Test func `A mark that failed is made up for by the next flush`() async throws {
        let store = try SQLiteStore(path: directory.store, busyTimeout: .milliseconds(1))
        let change = try await store.commit(.to([1]), for: "a")
        let tool = try Database.tool(directory.store)
        try tool.execute("BEGIN IMMEDIATE")
        await #expect(throws: StoreError.self) { try await store.markReported(change.id) }
        await #expect(throws: StoreError.self) { try await store.flush() }
        try tool.execute("ROLLBACK")
        #expect(try await store.unreportedChanges() == [change])
        try await store.flush()
        #expect(try await store.unreportedChanges() == [])
    }

    @Test func `Damaged numbers and histograms neither end the process nor stop a flush`()
        async throws
    {
        let store = try SQLiteStore(path: directory.store)
        store.note(.of("a", minute: 1))
        store.note(.of("b", minute: 1))
        try await store.flush()
        let tool = try Database.tool(directory.store)
        try tool.execute(
            """
            UPDATE hour SET polls = 9223372036854775807, failures = -1, latency = x'0700';
            UPDATE state SET consecutive_failures = 9223372036854775807, is_failing = 1,
                failures = 9223372036854775807,
                failed_since = -9223372036854775808, consecutive_successes = -5;
            """)
        let reader = try StoreReader(path: directory.store)
        var alert = try #require(try reader.states()["a"]?.alert)
        #expect(alert.consecutiveFailures == Int(UInt32.max) && alert.consecutiveSuccesses == 0)
        #expect(alert.noteFailure(at: .minute(2), AlertPolicy()) == nil)
        #expect(
            alert.noteSuccess(at: .minute(3), AlertPolicy())
                == .recovered(outage: .microseconds(Int64.max), failures: Int(UInt32.max) + 1))
        store.note(.of("a", minute: 2))
        try await store.flush()
        let statistics = try reader.statistics(since: .minute(0))
        #expect(statistics["a"]?.polls == Int(UInt32.max))
        #expect(statistics["a"]?.failures == 0 && statistics["a"]?.latency.count == 1)
        #expect(statistics["b"]?.latency.count == 0)
    }

    @Test func `A store that was deleted while in use is not written any more`() async throws {
        let store = try SQLiteStore(path: directory.store)
        unsafe unlink(directory.store)
        await expect(
            """
            the store '\(directory.store)' was moved or deleted while in use; \
            put it back, or start pollard again to begin with an empty one
            """
        ) { _ = try await store.commit(.to([1]), for: "a") }
    }

    @Test func `A killed process leaves what it committed and nothing else`() async throws {
        let path = directory.store
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try SQLiteStore(path: path)
            let first = try await store.commit(.to([1], minute: 1), for: "a")
            _ = try await store.commit(.to([2], after: first.snapshot, minute: 2), for: "a")
            store.note(.of("b", minute: 3))
            // A transaction large enough that a part of it is already in the file.
            let database = try Database.tool(path)
            try database.execute(
                """
                PRAGMA cache_size = 1; BEGIN IMMEDIATE;
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                INSERT INTO endpoint (name) SELECT 'half-' || i FROM n;
                """)
            kill(getpid(), SIGKILL)
        }
        #expect(
            try directory.names == [
                "pollard.db", "pollard.db-shm", "pollard.db-wal", "pollard.lock",
            ])
        let store = try SQLiteStore(path: path)
        #expect(try await store.states().keys.sorted() == ["a"])
        let changes = try await store.unreportedChanges()
        #expect(changes.map(\.event) == [.hexadecimal(1), .hexadecimal(2)])
        #expect(try await store.body(changes[1].snapshot.digest) == [2])
        let tool = try Database.tool(path)
        #expect(try tool.integer("SELECT count(*) FROM endpoint") == 1)
    }

    @Test(arguments: [3, 7, 13, 29])
    func `A process killed at any instant leaves a sound store`(milliseconds: Int) async throws {
        let path = directory.store
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            let store = try SQLiteStore(path: path)
            var document = JSONDocument()
            var last = try await store.commit(.to(document.bytes, minute: 0), for: "a")
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                kill(getpid(), SIGKILL)
            }
            for minute in 1..<Int64(100_000) {
                document.changeOneItem()
                last = try await store.commit(
                    .to(document.bytes, after: last.snapshot, minute: minute), for: "a")
            }
        }
        let store = try SQLiteStore(path: path)
        let changes = try await store.unreportedChanges()
        #expect(changes.map(\.event) == (0..<Int64(changes.count)).map { .hexadecimal($0) })
        var document = JSONDocument()
        for change in changes {
            #expect(try await store.body(change.snapshot.digest) == document.bytes)
            document.changeOneItem()
        }
        #expect(try await store.states()["a"]?.snapshot == changes.last?.snapshot)
    }

    @Test(.enabled(if: Mount.isPermitted, "mounting a file system needs root"))
    func `A full disk is said, and once there is space nothing is lost`() async throws {
        let mount = try Mount(at: directory.path, options: "size=1m")
        let store = try SQLiteStore(path: directory.store)
        let first = try await store.commit(.to([1], minute: 1), for: "a")
        let filler = "\(directory.path)/filler"
        try mount.fill(with: filler)

        let message =
            "the store '\(directory.store)' could not be written: the disk is full; "
            + "free some space on the file system that holds it"
        let change = NewChange.to(JSONDocument().bytes, after: first.snapshot, minute: 2)
        await expect(message) { _ = try await store.commit(change, for: "a") }
        var polls: [EndpointName: EndpointState] = [:]
        for number in 0..<500 {
            let name = try #require(EndpointName(rawValue: "endpoint-\(number)"))
            let poll = NotedPoll.of(name, minute: 3)
            store.note(poll)
            polls[name] = poll.state
        }
        await expect(message) { try await store.flush() }
        #expect(try await store.unreportedChanges() == [first])

        unsafe unlink(filler)
        let second = try await store.commit(change, for: "a")
        try await store.flush()
        #expect(try await store.unreportedChanges() == [first, second])
        #expect(try await store.body(change.digest) == change.body)
        let states = try StoreReader(path: directory.store).states()
        #expect(states.filter { $0.key != "a" } == polls)
        try await store.close()
    }

    @Test func `The state of 10,000 endpoints is flushed at once`() async throws {
        let store = try SQLiteStore(path: directory.store)
        for number in 0..<10_000 {
            let name = try #require(EndpointName(rawValue: "endpoint-\(number)"))
            store.note(.of(name, minute: Int64(number % 60)))
        }
        try await store.flush()
        #expect(try await store.states().count == 10_000)
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.statistics(since: .minute(0)).count == 10_000)
    }
}
