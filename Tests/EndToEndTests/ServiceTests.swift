// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// Pollard as a service: what `systemctl` shows of its start, its running and its end.
@Suite(.needsSystemdMachine, .serialized) struct ServiceTests {
    @Test func `A start returns when every endpoint is scheduled, and shows the status`()
        async throws
    {
        let server = try LoopbackServer(replies: .json("[]"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: items, url: "\(server.url())", interval: 1h}
                  - {name: unused, url: "\(server.url())", enabled: false}
                """,
            """
            systemctl start pollard
            entries MESSAGE_ID=\(MessageID.started.rawValue) | wc -l
            show pollard ActiveState
            show pollard StatusText
            systemctl stop pollard
            show pollard Result
            entries MESSAGE_ID=\(MessageID.stopping.rawValue) | wc -l
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 5, "\(run.output)")
        #expect(lines[0] == "1")
        #expect(lines[1] == "active")
        #expect(lines[2].hasPrefix("1 endpoint, 0 failing; 0 changes in 24h; "))
        #expect(lines[3...] == ["success", "1"])
    }

    @Test func `A configuration with errors fails the start for good, and says where`()
        async throws
    {
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: items, url: "http://127.0.0.1/", intervall: 1s}
                """,
            """
            if systemctl start pollard 2>/dev/null; then echo started; fi
            for property in Result ExecMainStatus NRestarts ActiveState; do
                show pollard $property
            done
            entries MESSAGE_ID=\(MessageID.configurationRejected.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 5, "\(run.output)")
        #expect(lines[..<4] == ["exit-code", "78", "0", "failed"])
        let entry = try #require(try JournalEntry.entries(in: String(lines[4])).first)
        #expect(entry["PRIORITY"] == "3")
        #expect(
            entry["MESSAGE"] == """
                configuration rejected: /etc/pollard/pollard.yaml:2:45: error: \
                unknown key 'intervall' (did you mean 'interval'?)
                """)
    }

    @Test func `A store that can't be used fails the start, as an event of level crit`()
        async throws
    {
        let run = try await PollardMachine.run(
            configuration: "endpoints: []",
            """
            mkdir -p /var/lib/private/pollard
            echo 'This is no database, but a text.' >/var/lib/private/pollard/pollard.db
            if systemctl start pollard 2>/dev/null; then echo started; fi
            show pollard ExecMainStatus
            show pollard StatusText
            entries MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            entries _TRANSPORT=stdout _COMM=pollard | wc -l
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 4, "\(run.output)")
        let cause = "'/var/lib/pollard/pollard.db' is not a store of pollard: it is not a database"
        #expect(lines[0] == "65")
        #expect(lines[1] == "pollard: \(cause)")
        let entry = try #require(try JournalEntry.entries(in: String(lines[2])).first)
        #expect(entry["PRIORITY"] == "2")
        #expect(
            entry["MESSAGE"]
                == "store trouble: \(cause); move the file away, or choose another directory")
        #expect(lines[3] == "0", "nothing is said twice")
    }

    @Test func `A stop while the disk is full says once that something was not stored`()
        async throws
    {
        let server = try LoopbackServer(replies: .json("[]"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints: [{name: items, url: "\(server.url())", interval: 100ms}]
                """,
            """
            mkdir -p /var/lib/private/pollard
            mount -t tmpfs -o size=600k,mode=700 disk /var/lib/private/pollard
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            dd if=/dev/zero of=/var/lib/private/pollard/rest bs=1k 2>/dev/null || true
            until_entries 1 MESSAGE_ID=\(MessageID.storeTrouble.rawValue)
            until [[ $(show pollard StatusText) == "store trouble; "* ]]; do sleep 0.02; done
            systemctl stop pollard
            show pollard ExecMainStatus
            entries _TRANSPORT=stdout _COMM=pollard
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "74\n")
    }

    @Test func `The sandbox gives threads no reason to complain in the journal`() async throws {
        let server = try LoopbackServer(replies: .json("[]"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints: [{name: items, url: "\(server.url())", interval: 100ms}]
                """,
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            systemctl stop pollard
            # Without CAP_SYS_RESOURCE, as in a container, the manager can't set LimitNICE=.
            entries _COMM=pollard | grep --invert-match --fixed-strings '"MESSAGE_ID"' |
                grep --invert-match 'thread priority.* errno=13"' || true
            """)
        #expect(run == ProgramRun(status: 0, output: "", errors: ""))
    }

    @Test func `A stop with a poll in flight ends within 6 seconds, in good order`()
        async throws
    {
        let run = try await PollardMachine.runWithHangingPoll(
            """
            start_with_hanging_poll
            start=${EPOCHREALTIME/./}
            systemctl stop pollard
            echo $((${EPOCHREALTIME/./} - start))
            show pollard Result
            entries MESSAGE_ID=\(MessageID.failing.rawValue) | wc -l
            entries MESSAGE_ID=\(MessageID.stopping.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 4, "\(run.output)")
        let microseconds = try #require(Int(lines[0]))
        #expect((4_900_000...6_000_000).contains(microseconds))
        #expect(lines[1] == "success")
        #expect(lines[2] == "0", "a poll that was cancelled is no failure")
        let entry = try #require(try JournalEntry.entries(in: String(lines[3])).first)
        // The other endpoint's next poll may have begun.
        let message = try #require(entry["MESSAGE"])
        #expect(
            message.wholeMatch(of: /stopping: got SIGTERM; waiting for (1 poll|2 polls) in flight/)
                != nil)
    }

    @Test func `SIGHUP ended a service that was still starting`() async throws {
        let run = try await PollardMachine.run(
            configuration: "endpoints: []",
            variables: ["TRIP": try await TestProgram.trip.compiled()],
            """
            extend_unit pollard <<<EnvironmentFile=/run/trip.env
            trip TRIP_DO=stop 'TRIP_AT=step PRAGMA'
            systemctl start --no-block pollard
            until grep --quiet 'State:.T' "/proc/$(show pollard MainPID)/status"; do
                sleep 0.02
            done
            show pollard ActiveState
            systemctl kill --kill-who=main --signal=HUP pollard
            systemctl kill --kill-who=main --signal=CONT pollard
            until_entries 1 MESSAGE_ID=\(MessageID.reloaded.rawValue)
            until_is pollard ActiveState active
            show pollard NRestarts
            """)
        #expect(run == ProgramRun(status: 0, output: "activating\n0\n", errors: ""))
    }

    @Test func `A daemon that hangs is killed and started anew`() async throws {
        let server = try LoopbackServer(replies: .json("[]"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints: [{name: items, url: "\(server.url())"}]
                """,
            """
            extend_unit pollard <<<$'WatchdogSec=3\\nRestartSec=0'
            systemctl start pollard
            systemctl kill --signal=STOP pollard
            until_is pollard NRestarts 1
            until_is pollard ActiveState active
            entries MESSAGE_ID=\(MessageID.started.rawValue) | wc -l
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "2\n")
    }
}
