// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// A store that fails while the service runs, and works again.
@Suite(.needsSystemdMachine, .serialized) struct StoreTroubleTests {
    private static let store = StoreMachine.store
    private static let full = """
        store trouble: the store '\(store)' could not be written: the disk is full; \
        free some space on the file system that holds it; continuing, what is noted of polls waits \
        in memory
        """
    private static let locked = """
        store trouble: the store '\(store)' is locked by another process; wait until that process \
        is done, or end it; 'fuser \(store)' names it; continuing, what is noted of polls waits in \
        memory
        """
    private static let failing = """
        store trouble: the store '\(store)' could not be read or written: disk I/O error; \
        look for errors of the disk with 'journalctl --dmesg'; continuing, changes wait in memory
        """

    private func expect(
        _ run: ProgramRun, _ messages: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
        let entries = try JournalEntry.entries(in: run.output)
        #expect(entries.map { $0["MESSAGE"] } == messages, sourceLocation: sourceLocation)
        let priorities = entries.filter { $0["POLLARD_KIND"] == "store-trouble" }
            .map { $0["PRIORITY"] }
        #expect(priorities == ["2", "5"], sourceLocation: sourceLocation)
    }

    private let changes = [
        "number: changed: 1 updated\n~ (document) 1 -> 2",
        "number: changed: 1 updated\n~ (document) 2 -> 3",
    ]

    @Test func `What changed while the disk was full is stored and told once there is space`()
        async throws
    {
        let run = try await StoreMachine.run(
            """
            mkdir -p $store
            mount -t tmpfs -o size=600k,mode=700 disk $store
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            dd if=/dev/zero of=$store/rest bs=1k 2>/dev/null || true
            until_entries 1 MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            next; until_waiting '1 change waits'
            next; until_waiting '2 changes wait'
            rm $store/rest
            until_over
            systemctl stop pollard
            [[ $(show pollard Result) == success ]]
            pollard history number --state $store --json | wc -l >&2
            told
            """)
        try expect(
            run,
            ["number: first snapshot", Self.full] + changes + [
                "store trouble is over; 2 changes that waited are stored"
            ])
        #expect(run.errors == "3\n")
    }

    @Test func `What changed while another process held the lock is stored and told afterwards`()
        async throws
    {
        let run = try await StoreMachine.run(
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            mkfifo /run/release
            python3 -c '
            import sqlite3
            store = sqlite3.connect("'$store'/pollard.db", isolation_level=None, timeout=60)
            store.execute("BEGIN IMMEDIATE")
            open("/run/release").read()' &
            until_entries 1 MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            next; until_waiting '1 change waits'
            next; until_waiting '2 changes wait'
            # Neither polls nor the watchdog wait for the lock.
            [[ $(show pollard NRestarts) == 0 ]]
            echo >/run/release
            until_over
            systemctl stop pollard
            told
            """)
        try expect(
            run,
            ["number: first snapshot", Self.locked] + changes + [
                "store trouble is over; 2 changes that waited are stored"
            ])
    }

    @Test func `What changed while the disk gave errors is stored and told when it recovers`()
        async throws
    {
        let run = try await StoreMachine.run(
            """
            clang -shared -fPIC -O1 -o /usr/local/lib/failing-disk.so \
                Tests/preload/failing-disk.c
            extend_unit pollard <<<Environment=LD_PRELOAD=/usr/local/lib/failing-disk.so
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            touch $store/disk-fails
            # Notes of polls are not synchronized: only the change meets the error.
            next; until_waiting '1 change waits'
            next; until_waiting '2 changes wait'
            rm $store/disk-fails
            until_over
            systemctl stop pollard
            told
            """)
        try expect(
            run,
            ["number: first snapshot", Self.failing] + changes + [
                "store trouble is over; 2 changes that waited are stored"
            ])
    }

    @Test func `A stop that lost a change ended as if all were well`() async throws {
        let run = try await StoreMachine.run(
            """
            clang -shared -fPIC -O1 -o /usr/local/lib/failing-disk.so \
                Tests/preload/failing-disk.c
            extend_unit pollard <<<Environment=LD_PRELOAD=/usr/local/lib/failing-disk.so
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            touch $store/disk-fails
            next; until_waiting '1 change waits'
            systemctl stop pollard
            show pollard ExecMainStatus >&2
            told
            """)
        #expect(run.status == 0 && run.errors == "74\n", "\(run.errors)")
        #expect(
            try JournalEntry.entries(in: run.output).map { $0["MESSAGE"] } == [
                "number: first snapshot", Self.failing,
                """
                store trouble: 1 change could not be stored before the end: number (1); \
                the next start tells what differs then from what is stored
                """,
            ])
    }

    @Test func `Damage that is met while running is told once, and what is lost at the stop`()
        async throws
    {
        let run = try await StoreMachine.run(
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            # Another writer empties the log and lets the daemon read the file anew.
            python3 -c '
            import sqlite3
            store = sqlite3.connect("'$store'/pollard.db", isolation_level=None, timeout=60)
            store.execute("INSERT INTO endpoint (name) VALUES (?)", ("other",))
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            with open("'$store'/pollard.db", "r+b") as file:
                size = file.seek(0, 2)
                file.seek(4096)
                file.write(b"\\xff" * (size - 4096))
            store.execute("PRAGMA user_version = 3")'
            until_entries 1 MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            next; until_waiting '1 change waits'
            next; until_waiting '2 changes wait'
            systemctl stop pollard
            [[ $(show pollard ExecMainStatus) == 74 ]]
            told
            """)
        #expect(run.status == 0, "\(run.errors)")
        let entries = try JournalEntry.entries(in: run.output)
        let cause = StoreMachine.damaged("database disk image is malformed")
        let damaged = "store trouble: \(cause); \(StoreMachine.replacing)"
        #expect(
            entries.map { $0["MESSAGE"] } == [
                "number: first snapshot",
                "\(damaged); continuing, what is noted of polls waits in memory",
                """
                store trouble: 2 changes could not be stored before the end: number (2); \
                the next start tells what differs then from what is stored
                """, damaged,
            ])
        #expect(entries.dropFirst().map { $0["PRIORITY"] } == ["2", "2", "2"])
    }
}
