// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Synchronization
import Testing

/// A store that fails while the service runs, and works again.
@Suite(.needsSystemdMachine, .serialized) struct StoreTroubleTests {
    private static let store = "/var/lib/pollard/pollard.db"
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

    /// Runs a script beside a server of a number, which `next` makes the next one.
    private func run(_ script: String, interval: String = "100ms") async throws -> ProgramRun {
        let value = Mutex(1)
        let server = try LoopbackServer { request in
            .json(
                String(
                    value.withLock { value in
                        if request.path == "/next" { value += 1 }
                        return value
                    }))
        }
        defer { server.stop() }
        return try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: number, url: "\(server.url())", interval: \(interval)}
                """,
            """
            store=/var/lib/private/pollard
            next() {
                python3 -c 'import urllib.request as r; r.urlopen("\(server.url("/next"))")'
            }
            until_waiting() { # the start of the status
                until [[ $(show pollard StatusText) == "store trouble: $1 to be stored; "* ]]; do
                    sleep 0.02
                done
            }
            until_over() {
                until_entries 1 MESSAGE_ID=\(MessageID.storeTrouble.rawValue) PRIORITY=5
            }
            told() {
                entries MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) \
                    MESSAGE_ID=\(MessageID.changed.rawValue) \
                    MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            }
            \(script)
            """)
    }

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
        let run = try await run(
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
        let run = try await run(
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
        let run = try await run(
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
        let run = try await run(
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
        let run = try await run(
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
        let cause = Self.damaged("database disk image is malformed")
        let damaged = "store trouble: \(cause); \(Self.replacing)"
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

    private static func damaged(_ detail: String) -> String {
        "the store '\(store)' is damaged: \(detail)"
    }

    private static let replacing =
        "move it away together with its -wal and -shm files, then restore a backup or start anew"

    // MARK: - At the start

    /// A store that can't be used, and what a start says of it.
    struct Refusal {
        /// What is done to a sound store.
        let damage: String
        let cause: String
        let hint: String
        var status = "65"
    }

    private static let refusals = [
        Refusal(
            damage: """
                printf '\\377%.0s' {1..4096} |
                    dd of=$store/pollard.db bs=4k seek=3 iflag=fullblock conv=notrunc status=none
                """,
            cause: damaged("Page 4: btreeInitPage() returns error code 11"), hint: replacing),
        Refusal(
            damage: "truncate -s 20k $store/pollard.db",
            cause: damaged("database disk image is malformed"), hint: replacing),
        Refusal(
            damage: """
                python3 -c 'import sqlite3
                sqlite3.connect("'$store'/pollard.db").execute("PRAGMA user_version = 7")'
                """,
            cause: """
                the store '\(store)' was written by a newer pollard (version 7; this one knows 4)
                """,
            hint: "install that version of pollard again, or choose another directory"),
        Refusal(
            damage: "extend_unit pollard <<<ReadOnlyPaths=/var/lib/private/pollard",
            cause: "the store '\(store)' is read-only",
            hint: "make the file and its directory writable for the user that runs pollard",
            status: "74"),
    ]

    @Test(arguments: refusals)
    func `A store that can't be used is refused with what to do, and left as it is`(
        refusal: Refusal
    ) async throws {
        let run = try await run(
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            systemctl stop pollard
            \(refusal.damage)
            before=$(sha256sum <$store/pollard.db)
            if systemctl start pollard 2>/dev/null; then echo started; fi
            show pollard ExecMainStatus
            show pollard StatusText
            [[ $(sha256sum <$store/pollard.db) == "$before" ]]
            entries MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 3, "\(run.output)")
        #expect(lines[0] == refusal.status)
        #expect(lines[1] == "pollard: \(refusal.cause)")
        let entry = try #require(try JournalEntry.entries(in: lines[2]).first)
        #expect(entry["MESSAGE"] == "store trouble: \(refusal.cause); \(refusal.hint)")
        #expect(entry["PRIORITY"] == "2")
    }

    @Test func `A second daemon on the same directory is refused, and the first goes on`()
        async throws
    {
        let run = try await run(
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            show pollard MainPID
            systemd-run --quiet --wait --unit=second \
                pollard run --config /etc/pollard/pollard.yaml --state $store || echo $?
            next
            until_entries 1 MESSAGE_ID=\(MessageID.changed.rawValue) _SYSTEMD_UNIT=pollard.service
            entries MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 3, "\(run.output)")
        #expect(lines[1] == "69")
        let entry = try #require(try JournalEntry.entries(in: lines[2]).first)
        #expect(
            entry["MESSAGE"] == """
                store trouble: the store '/var/lib/private/pollard/pollard.db' is in use by \
                another pollard (process \(lines[0])); stop that one first, or choose another \
                directory for this one
                """)
        #expect(entry["PRIORITY"] == "2" && entry["_PID"] != lines[0])
    }
}
