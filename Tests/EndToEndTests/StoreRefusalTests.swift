// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// A store that can't be used when the service starts.
@Suite(.needsSystemdMachine, .serialized) struct StoreRefusalTests {
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
            cause: StoreMachine.damaged("Page 4: btreeInitPage() returns error code 11"),
            hint: StoreMachine.replacing),
        Refusal(
            damage: "truncate -s 20k $store/pollard.db",
            cause: StoreMachine.damaged("database disk image is malformed"),
            hint: StoreMachine.replacing),
        Refusal(
            damage: """
                python3 -c 'import sqlite3
                sqlite3.connect("'$store'/pollard.db").execute("PRAGMA user_version = 7")'
                """,
            cause: """
                the store '\(StoreMachine.store)' was written by a newer pollard (version 7; this one knows 4)
                """,
            hint: "install that version of pollard again, or choose another directory"),
        Refusal(
            damage: "extend_unit pollard <<<ReadOnlyPaths=/var/lib/private/pollard",
            cause: "the store '\(StoreMachine.store)' is read-only",
            hint: "make the file and its directory writable for the user that runs pollard",
            status: "74"),
    ]

    @Test(arguments: refusals)
    func `A store that can't be used is refused with what to do, and left as it is`(
        refusal: Refusal
    ) async throws {
        let run = try await StoreMachine.run(
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
        let run = try await StoreMachine.run(
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
