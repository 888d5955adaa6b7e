// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// Kills that the service manager answers with a restart, and what the journal has of them.
@Suite(.needsSystemdMachine, .serialized) struct CrashTests {
    @Test func `Whenever the service is killed, the journal has what is stored`() async throws {
        let server = try LoopbackServer { .json("\($0.number)") }
        defer { server.stop() }
        // The journal is told by sendmsg(2), over and above what tests of the daemon alone can see.
        let insertion = "step INSERT INTO change|"
        let points = [
            insertion + "step COMMIT", insertion + "pwrite -wal|pwrite -wal",
            insertion + "step COMMIT|send POLLARD_EVENT",
            insertion + "send POLLARD_EVENT|step UPDATE change",
            insertion + "send POLLARD_EVENT|step UPDATE change|pwrite -wal|pwrite -wal",
            insertion + "send POLLARD_EVENT|step UPDATE change|step COMMIT|step",
            "send READY=1",
        ]
        let run = try await PollardMachine.run(
            configuration: """
                endpoints: [{name: number, url: "\(server.url())", interval: 100ms}]
                """,
            variables: [
                "TRIP": try await TestProgram.trip.compiled(),
                "POINTS": points.joined(separator: "\n"),
            ],
            """
            extend_unit pollard <<END
            RestartSec=0
            EnvironmentFile=-/run/trip.env
            [Unit]
            StartLimitIntervalSec=0
            END
            kills=0
            while read -r calls; do
                trip TRIP_DO=kill "TRIP_AT=\\"$calls\\""
                ((kills > 0)) || systemctl start --no-block pollard
                kills=$((kills + 3))
                until (($(show pollard NRestarts) >= kills)); do sleep 0.02; done
            done <<<"$POINTS"
            rm /run/trip.env
            until_is pollard ActiveState active
            until_entries 3 MESSAGE_ID=\(MessageID.changed.rawValue) \
                _PID="$(show pollard MainPID)"
            show pollard NRestarts # a stop forgets it
            systemctl stop pollard
            python3 -c 'import sqlite3
            store = sqlite3.connect("/var/lib/private/pollard/pollard.db")
            print(*(row[0] for row in store.execute("SELECT event FROM change")))'
            entries MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) \
                MESSAGE_ID=\(MessageID.changed.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let parts = run.output.split(separator: "\n", maxSplits: 2).map(String.init)
        try #require(parts.count == 3, "\(run.output)")
        let kills = try #require(Int(parts[0]))
        try #require(kills >= 21)
        let stored = parts[1].split(separator: " ").map(String.init)
        let told = try JournalEntry.entries(in: parts[2]).compactMap { $0["POLLARD_EVENT"] }
        #expect(Set(stored).count == stored.count)
        #expect(Set(told) == Set(stored))
        // At two of the points each kill makes the next life tell once more; where the points change,
        // a life may still end at the one before.
        #expect((4...kills).contains(told.count - stored.count))
    }
}
