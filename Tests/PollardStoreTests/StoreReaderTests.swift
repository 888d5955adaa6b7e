// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardCore
import PollardTestSupport
import Testing

@testable import PollardStore

@Suite struct StoreReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Fills a store with two changes of one endpoint and closes it.
    private func writeStore() async throws -> [StoredChange] {
        let store = try SQLiteStore(path: directory.store)
        let first = try await store.commit(.to([1], minute: 1), for: "a")
        let second = try await store.commit(.to([2], after: first.snapshot, minute: 2), for: "a")
        try await store.close()
        return [first, second]
    }

    @Test func `A missing store is said to be missing, and is not created`() async throws {
        let message =
            "no store at '\(directory.store)'; the daemon creates it at its first start; "
            + "check the path and that the daemon has run"
        await expect(message) { _ = try StoreReader(path: directory.store) }
        #expect(try directory.names == [])
        await expect(
            "no store at '/nonexistent/pollard.db'; the daemon creates it at its first start; "
                + "check the path and that the daemon has run"
        ) { _ = try StoreReader(path: "/nonexistent/pollard.db") }
    }

    @Test func `A store that the daemon has not yet set up is older`() async throws {
        try directory.write([UInt8](), to: "pollard.db")
        await expect(
            """
            the store '\(directory.store)' was written by an older pollard \
            (version 0; this one knows 4); start the daemon once: it brings the store up to date
            """
        ) { _ = try StoreReader(path: directory.store) }
    }

    @Test func `Changes are read newest first, up to a limit`() async throws {
        let changes = try await writeStore()
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.changes(of: "a", limit: 10) == changes.reversed())
        #expect(try reader.changes(of: "a", limit: 1) == [changes[1]])
        #expect(try reader.changes(of: "b", limit: 10) == [])
        #expect(try reader.change(1, of: "a") == changes[0])
        #expect(try reader.change(1, of: "b") == nil)
        #expect(try reader.change(3, of: "a") == nil)
        #expect(try reader.body(changes[0].snapshot.digest) == [1])
        #expect(try reader.changeCount(since: .minute(2)) == 1)
        #expect(try reader.changeCount(since: .minute(3)) == 0)
    }

    @Test func `Changes are read on from any number, and names in order`() async throws {
        let changes = try await writeStore()
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.changes(of: "a", limit: 10, before: 2) == [changes[0]])
        #expect(try reader.changes(of: "a", limit: 10, before: 1) == [])
        #expect(try reader.names() == ["a"])
    }

    @Test func `A snapshot is found by the start of its digest`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let one = try await store.commit(.to([1], minute: 1), for: "b").snapshot
        let two = try await store.commit(.to([2], after: one, minute: 2), for: "b").snapshot
        let again = try await store.commit(.to([1], after: two, minute: 3), for: "b").snapshot
        _ = try await store.commit(.to([1], minute: 4), for: "a")
        try await store.close()
        let reader = try StoreReader(path: directory.store)
        func found(_ prefix: String, limit: Int = 10) throws -> [Snapshot] {
            try reader.snapshots(of: "b", digestPrefix: prefix, limit: limit)
        }
        #expect(try found(String(one.digest.description.prefix(4))) == [again])
        #expect(try found(two.digest.description) == [two])
        #expect(try found("") == [again, two])
        #expect(try found("", limit: 1) == [again])
        #expect(try found("\(two.digest)0") == [])
        #expect(try reader.names() == ["a", "b"])
    }

    @Test func `Statistics are added up from the hour that holds the start`() async throws {
        let store = try SQLiteStore(path: directory.store)
        for minute in 0..<Int64(26 * 60) {
            let failure = minute.isMultiple(of: 60) ? "no answer" : nil
            store.note(
                .of("a", minute: minute, failure: failure, duration: .milliseconds(minute % 60)))
            // Each hour is written in several parts.
            if minute.isMultiple(of: 25) { try await store.flush() }
        }
        try await store.close()
        let reader = try StoreReader(path: directory.store)
        let statistics = try #require(try reader.statistics(since: .minute(2 * 60 + 30))["a"])
        #expect(statistics.polls == 24 * 60)
        #expect(statistics.failures == 24)
        #expect(statistics.latency.count == 24 * 59)
        let median = try #require(statistics.latency.quantile(0.5))
        #expect(median > .milliseconds(25) && median < .milliseconds(35))
        #expect(try reader.statistics(since: .minute(26 * 60)) == [:])
    }

    @Test func `A reader sees whole commits while the daemon writes`() async throws {
        let store = try SQLiteStore(path: directory.store)
        var last = try await store.commit(.to([0], minute: 0), for: "a")
        async let reading = Self.countsSeen(in: directory.store, upTo: 200)
        for minute in 1..<Int64(200) {
            last = try await store.commit(
                .to([UInt8(minute)], after: last.snapshot, minute: minute), for: "a")
        }
        let counts = try await reading
        #expect(counts == counts.sorted())
        #expect(counts.last == 200)
    }

    @Test func `An open reader does not stop the daemon`() async throws {
        let changes = try await writeStore()
        let reader = try StoreReader(path: directory.store)
        let store = try SQLiteStore(path: directory.store)
        let third = try await store.commit(
            .to([3], after: changes[1].snapshot, minute: 3), for: "a")
        #expect(try reader.changes(of: "a", limit: 1) == [third])
        try await store.close()
        #expect(try reader.changes(of: "a", limit: 1) == [third])
    }

    @Test(.enabled(if: Mount.isPermitted, "mounting a file system needs root"))
    func `A store on a read-only file system is read, and not opened by a daemon`() async throws {
        let mount = try Mount(at: directory.path, options: "size=4m")
        let changes = try await writeStore()
        try mount.makeReadOnly()
        let reader = try StoreReader(path: directory.store)
        #expect(try reader.changes(of: "a", limit: 10) == changes.reversed())
        #expect(try directory.names == ["pollard.db", "pollard.lock"])
        await expect(
            """
            the store '\(directory.store)' is read-only; \
            make the file and its directory writable for the user that runs pollard
            """
        ) { _ = try SQLiteStore(path: directory.store) }
    }

    @Test(.enabled(if: Mount.isPermitted, "mounting a file system needs root"))
    func `A log that can't be read is not ignored`() async throws {
        let mount = try Mount(at: directory.path, options: "size=4m")
        let copy = directory.path(of: "copy.db")
        let store = try SQLiteStore(path: directory.store)
        _ = try await store.commit(.to([1], minute: 1), for: "a")
        for suffix in ["", "-wal"] {
            try directory.write(directory.read("pollard.db\(suffix)"), to: "copy.db\(suffix)")
        }
        try await store.close()
        try mount.makeReadOnly()
        await expect(
            """
            the store '\(copy)' must be recovered first, and its directory can't be written; \
            start the daemon, or run this as the user that the store belongs to
            """
        ) { _ = try StoreReader(path: copy) }
    }

    @Test(.enabled(if: getuid() == 0, "changing the user needs root"))
    func `Another user reads the store with and without a daemon, if the files allow it`()
        async throws
    {
        unsafe chmod(directory.path, 0o755)
        let changes = try await writeStore()
        let path = directory.store
        let expected = changes.map(\.event).reversed().joined(separator: " ")
        await #expect(processExitsWith: .success) {
            [path = path as String, expected = expected as String] in
            #expect(setuid(65_534) == 0)
            let events = try Self.events(path)
            #expect(events == expected)
        }
        #expect(try directory.names == ["pollard.db", "pollard.lock"])

        let store = try SQLiteStore(path: path)
        let third = try await store.commit(
            .to([3], after: changes[1].snapshot, minute: 3), for: "a")
        let more = "\(third.event) \(expected)"
        await #expect(processExitsWith: .success) {
            [path = path as String, more = more as String] in
            #expect(setuid(65_534) == 0)
            let events = try Self.events(path)
            #expect(events == more)
        }
        try await store.close()
    }

    @Test(.enabled(if: getuid() == 0, "changing the user needs root"))
    func `Another user reads what a killed daemon left`() async throws {
        unsafe chmod(directory.path, 0o755)
        let path = directory.store
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try SQLiteStore(path: path)
            _ = try await store.commit(.to([1], minute: 1), for: "a")
            kill(getpid(), SIGKILL)
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            #expect(setuid(65_534) == 0)
            let events = try Self.events(path)
            #expect(events == .hexadecimal(1))
        }
    }

    @Test(.enabled(if: getuid() == 0, "changing the user needs root"))
    func `What root reads can be opened by the daemon's user afterwards`() async throws {
        _ = try await writeStore()
        for path in [directory.path, directory.store, FileLock.path(forStore: directory.store)] {
            unsafe chown(path, 65_534, 65_534)
        }
        #expect(try StoreReader(path: directory.store).states().count == 1)
        await #expect(processExitsWith: .success) { [path = directory.store as String] in
            #expect(setuid(65_534) == 0)
            let store = try SQLiteStore(path: path)
            _ = try await store.commit(.to([7], minute: 7), for: "b")
            try await store.close()
        }
        #expect(try StoreReader(path: directory.store).states().count == 2)
    }

    @Test(.enabled(if: getuid() == 0, "changing the user needs root"))
    func `A user without permission is told so`() async throws {
        _ = try await writeStore()
        unsafe chmod(directory.path, 0o755)
        unsafe chmod(directory.store, 0o600)
        await #expect(processExitsWith: .success) { [path = directory.store as String] in
            #expect(setuid(65_534) == 0)
            let message =
                "the store '\(path)' may not be opened: permission denied; "
                + "run this as root, or let a group read the store: see ACCESS in pollard(1)"
            await expect(message) { _ = try StoreReader(path: path) }
            await expect(message) { _ = try SQLiteStore(path: path) }
        }
    }

    /// The number of changes that one reader after the other sees.
    @concurrent
    private static func countsSeen(in path: String, upTo last: Int) async throws -> [Int] {
        var counts: [Int] = []
        while (counts.last ?? 0) < last, !Task.isCancelled {
            let reader = try StoreReader(path: path)
            let changes = try reader.changes(of: "a", limit: 1_000)
            for change in changes.prefix(2) {
                _ = try #require(try reader.body(change.snapshot.digest))
            }
            counts.append(changes.count)
            await Task.yield()
        }
        return counts
    }

    /// The events of the changes that a reader sees, newest first.
    private static func events(_ path: String) throws -> String {
        let changes = try StoreReader(path: path).changes(of: "a", limit: 10)
        return changes.map(\.event).joined(separator: " ")
    }
}
