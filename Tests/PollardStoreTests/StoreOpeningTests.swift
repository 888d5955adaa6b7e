// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardCore
import PollardTestSupport
import Testing

@testable import PollardStore

@Suite struct StoreOpeningTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func expectRefusal(_ description: String) async throws {
        await expect(description) { _ = try SQLiteStore(path: directory.store) }
    }

    @Test func `A new store has the settings that its safety rests on`() async throws {
        let store = try SQLiteStore(path: directory.store)
        let tool = try Database.tool(directory.store)
        #expect(try tool.integer("PRAGMA application_id") == 0x506f_6c64)
        #expect(try tool.integer("PRAGMA user_version") == 4)
        #expect(try tool.integer("PRAGMA auto_vacuum") == 2)
        let mode = try tool.first("PRAGMA journal_mode") { row throws(StoreError) in row.text(0) }
        #expect(mode == "wal")
        #expect(
            try directory.names == [
                "pollard.db", "pollard.db-shm", "pollard.db-wal", "pollard.lock",
            ])
        let loose = try tool.integer(
            """
            SELECT count(*) FROM pragma_table_list
            WHERE strict = 0 AND name NOT LIKE 'sqlite%'
            """)
        #expect(loose == 0)
        try await store.close()
    }

    @Test func `Others than the owner and the group may not read what APIs answered`() async throws
    {
        let store = try SQLiteStore(path: directory.store)
        _ = try await store.commit(.to([1]), for: "a")
        for name in ["pollard.db", "pollard.db-wal", "pollard.db-shm"] {
            var status = stat()
            #expect(unsafe stat("\(directory.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o027 == 0 && status.st_mode & 0o600 == 0o600, "\(name)")
        }
    }

    @Test func `An empty file becomes a store`() async throws {
        try directory.write([UInt8](), to: "pollard.db")
        let store = try SQLiteStore(path: directory.store)
        #expect(try await store.states() == [:])
    }

    @Test func `A migration that was interrupted starts again`() async throws {
        // What a kill between the settings and the first migration leaves.
        try Database.tool(directory.store).execute(
            "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")
        let store = try SQLiteStore(path: directory.store)
        #expect(try await store.states() == [:])
    }

    @Test func `A store of version 1 is brought up to date and keeps what it has`() async throws {
        let body = Array("[1]".utf8)
        let tool = try Database.tool(directory.store)
        try tool.execute(
            """
            PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
            \(Migrations.all[0])
            PRAGMA application_id = 0x506f6c64; PRAGMA user_version = 1;
            INSERT INTO endpoint VALUES (5, 'a');
            INSERT INTO state (endpoint, consecutive_failures, consecutive_successes, failed_since,
                is_failing, poll_at, poll_duration, poll_failure)
            VALUES (5, 3, 0, \(Timestamp.minute(1).microseconds), 1,
                \(Timestamp.minute(3).microseconds), 1000, 'timed out');
            """)
        await expect(
            """
            the store '\(directory.store)' was written by an older pollard \
            (version 1; this one knows 4); start the daemon once: it brings the store up to date
            """
        ) { _ = try StoreReader(path: directory.store) }

        let store = try SQLiteStore(path: directory.store)
        #expect(try tool.integer("PRAGMA user_version") == 4)
        var state = EndpointState()
        state.alert.consecutiveFailures = 3
        state.alert.failures = 3
        state.alert.failedSince = .minute(1)
        state.alert.isFailing = true
        state.lastPoll = EndpointState.LastPoll(
            at: .minute(3), duration: .milliseconds(1), status: nil, failure: "timed out")
        #expect(try await store.states() == ["a": state])

        var change = NewChange.to(body, minute: 4)
        change.state.alert.remindedAt = .minute(4)
        let stored = try await store.commit(change, for: "a")
        state = change.state
        state.snapshot = stored.snapshot
        #expect(try await store.states() == ["a": state])
        try await store.close()
    }

    @Test func `A store of version 2 keeps its reminders and knows no failures before`()
        async throws
    {
        let tool = try Database.tool(directory.store)
        try tool.execute(
            """
            PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
            \(Migrations.all[0])
            \(Migrations.all[1])
            PRAGMA application_id = 0x506f6c64; PRAGMA user_version = 2;
            INSERT INTO endpoint VALUES (5, 'a');
            INSERT INTO state (endpoint, consecutive_failures, consecutive_successes, failed_since,
                is_failing, reminded_at)
            VALUES (5, 3, 0, \(Timestamp.minute(1).microseconds), 1,
                \(Timestamp.minute(2).microseconds));
            """)
        let store = try SQLiteStore(path: directory.store)
        #expect(try tool.integer("PRAGMA user_version") == 4)
        var state = EndpointState()
        state.alert.consecutiveFailures = 3
        state.alert.failures = 3
        state.alert.failedSince = .minute(1)
        state.alert.isFailing = true
        state.alert.remindedAt = .minute(2)
        #expect(try await store.states() == ["a": state])
        try await store.close()
    }

    @Test func `What a store of version 3 called consecutive were the failures of an outage`()
        async throws
    {
        let tool = try Database.tool(directory.store)
        try tool.execute(
            """
            PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
            \(Migrations.all[0])
            \(Migrations.all[1])
            \(Migrations.all[2])
            PRAGMA application_id = 0x506f6c64; PRAGMA user_version = 3;
            INSERT INTO endpoint VALUES (5, 'turns'), (6, 'down');
            INSERT INTO state (endpoint, consecutive_failures, consecutive_successes, is_failing)
            VALUES (5, 4, 1, 1), (6, 2, 0, 0);
            """)
        let store = try SQLiteStore(path: directory.store)
        var turns = EndpointState()
        turns.alert.failures = 4
        turns.alert.consecutiveSuccesses = 1
        turns.alert.isFailing = true
        var down = EndpointState()
        down.alert.failures = 2
        down.alert.consecutiveFailures = 2
        #expect(try await store.states() == ["turns": turns, "down": down])
        try await store.close()
    }

    @Test func `A missing directory is named`() async throws {
        await expect(
            """
            the directory '\(directory.path)/no' of the store does not exist; \
            create it, or choose another one
            """
        ) { _ = try SQLiteStore(path: "\(directory.path)/no/pollard.db") }
    }

    @Test func `A newer store is refused and left as it is`() async throws {
        try await SQLiteStore(path: directory.store).close()
        try Database.tool(directory.store).execute("PRAGMA user_version = 7")
        let before = try directory.read("pollard.db")
        let message =
            "the store '\(directory.store)' was written by a newer pollard "
            + "(version 7; this one knows 4); "
            + "install that version of pollard again, or choose another directory"
        try await expectRefusal(message)
        await expect(message) { _ = try StoreReader(path: directory.store) }
        #expect(try directory.read("pollard.db") == before)
    }

    @Test(arguments: [100, 5_000])
    func `A file that is no database is refused and left as it is`(count: Int) async throws {
        let text = Array(repeating: UInt8(ascii: "x"), count: count)
        try directory.write(text, to: "pollard.db")
        let message =
            "'\(directory.store)' is not a store of pollard: it is not a database; "
            + "move the file away, or choose another directory"
        try await expectRefusal(message)
        await expect(message) { _ = try StoreReader(path: directory.store) }
        #expect(try directory.read("pollard.db") == text)
    }

    @Test(arguments: ["CREATE TABLE t (x)", "PRAGMA application_id = 5", "PRAGMA user_version = 1"])
    func `Another program's database is refused and left as it is`(script: String) async throws {
        try Database.tool(directory.store).execute(script)
        let before = try directory.read("pollard.db")
        try await expectRefusal(
            """
            '\(directory.store)' is not a store of pollard: it is a database of another program; \
            move the file away, or choose another directory
            """)
        #expect(try directory.read("pollard.db") == before)
    }

    @Test func `A damaged structure is refused and left as it is`() async throws {
        let store = try SQLiteStore(path: directory.store)
        _ = try await store.commit(.to(JSONDocument().bytes), for: "a")
        try await store.close()
        var file = try directory.read("pollard.db")
        // The second page of the file, after the one with the schema, is not a free one.
        for index in 4_096 * 3..<4_096 * 4 { file[index] = 0xff }
        try directory.write(file, to: "pollard.db")
        try await expectRefusal(
            """
            the store '\(directory.store)' is damaged: Page 4: btreeInitPage() returns error code 11; \
            move it away together with its -wal and -shm files, \
            then restore a backup or start anew
            """)
        #expect(try directory.read("pollard.db") == file)
    }

    @Test func `A truncated store is refused`() async throws {
        let store = try SQLiteStore(path: directory.store)
        _ = try await store.commit(.to(JSONDocument().bytes), for: "a")
        try await store.close()
        let file = try directory.read("pollard.db")
        try directory.write(Array(file.prefix(file.count / 2)), to: "pollard.db")
        try await expectRefusal(
            """
            the store '\(directory.store)' is damaged: database disk image is malformed; \
            move it away together with its -wal and -shm files, \
            then restore a backup or start anew
            """)
    }

    @Test func `A second daemon on a store is refused, until the first is gone`() async throws {
        let first = try SQLiteStore(path: directory.store)
        try await expectRefusal(
            """
            the store '\(directory.store)' is in use by another pollard (process \(getpid())); \
            stop that one first, or choose another directory for this one
            """)
        #expect(try await first.states() == [:])
        try await first.close()
        try await SQLiteStore(path: directory.store).close()
    }

    @Test(.enabled(if: getuid() == 0, "changing the user needs root"))
    func `A store that the daemon's user may not write is refused at once`() async throws {
        try await SQLiteStore(path: directory.store).close()
        for path in [directory.path, FileLock.path(forStore: directory.store)] {
            unsafe chown(path, 65_534, 65_534)
        }
        await #expect(processExitsWith: .success) { [path = directory.store as String] in
            #expect(setuid(65_534) == 0)
            await expect(
                """
                the store '\(path)' is read-only; \
                make the file and its directory writable for the user that runs pollard
                """
            ) { _ = try SQLiteStore(path: path) }
        }
    }

    @Test func `A directory in the place of the store is refused`() async throws {
        unsafe mkdir(directory.store, 0o755)
        try await expectRefusal(
            """
            the store '\(directory.store)' could not be read or written: is a directory; \
            look for errors of the disk with 'journalctl --dmesg'
            """)
    }
}
