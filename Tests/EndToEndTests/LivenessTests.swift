// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// A hang of any part ends in a restart by the watchdog; slow servers don't.
@Suite(.needsSystemdMachine, .serialized) struct LivenessTests {
    /// `WatchdogSec=` of these tests, in seconds.
    private static let limit = 3
    /// How much later than that a hang may last.
    private static let patience = 5

    /// Brings a part to a standstill, and expects a restart in time, after which polls go on.
    ///
    /// - Parameters:
    ///   - stall: Bash that returns once the part of the process `$pid` stands still.
    ///   - location: The test.
    /// - Throws: What keeps the machine from starting.
    private func expectRestart(
        after stall: String, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        // Each answer is a change.
        let server = try LoopbackServer { .json("\($0.number)") }
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints: [{name: number, url: "\(server.url())", interval: 100ms}]
                """,
            variables: [
                "TRIP": try await TestProgram.trip.compiled(),
                "HOLD": try await TestProgram.holdThread.compiled(),
            ],
            """
            extend_unit pollard <<END
            WatchdogSec=\(Self.limit)
            RestartSec=0
            EnvironmentFile=-/run/trip.env
            END
            trip TRIP_DO=hold 'TRIP_AT=pwrite -wal' TRIP_FILE=/run/trip
            systemctl start pollard
            rm /run/trip.env # of the first life only
            pid=$(show pollard MainPID)
            until_entries 3 MESSAGE_ID=\(MessageID.changed.rawValue)
            \(stall)
            start=$(now)
            while [[ -d /proc/$pid ]]; do sleep 0.02; done
            echo $(($(now) - start))
            until_is pollard NRestarts 1
            until_is pollard ActiveState active
            until_entries 3 MESSAGE_ID=\(MessageID.changed.rawValue) \
                _PID="$(show pollard MainPID)"
            systemctl stop pollard
            journalctl --sync
            journalctl --quiet --output=cat UNIT=pollard.service |
                grep -E 'Watchdog timeout|Failed with result'
            """)
        #expect(run.status == 0, "\(run.errors)", sourceLocation: location)
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 3, "\(run.output)", sourceLocation: location)
        let microseconds = try #require(Int(lines[0]), sourceLocation: location)
        #expect(
            microseconds <= (Self.limit + Self.patience) * 1_000_000, sourceLocation: location)
        #expect(
            lines[1...] == [
                "pollard.service: Watchdog timeout (limit \(Self.limit)s)!",
                "pollard.service: Failed with result 'watchdog'.",
            ], sourceLocation: location)
    }

    @Test func `Timers that stand still end in a restart`() async throws {
        try await expectRestart(
            after: #"hold_poller "$pid" --invert-match pollard-http"#)
    }

    @Test func `A fetch loop that stands still ends in a restart`() async throws {
        try await expectRestart(after: #"hold_poller "$pid" pollard-http"#)
    }

    @Test func `A write to the store that never ends ends in a restart`() async throws {
        try await expectRestart(after: "touch /run/trip")
    }

    @Test func `500 hanging servers and dead names are no reason for a restart`() async throws {
        let hanging = try SilentPort()
        let server = try LoopbackServer { .json("\($0.number)") }
        defer { server.stop() }
        let endpoints =
            (0..<500).map { "  - {name: h\($0), url: \"http://127.0.0.1:\(hanging.port)/\($0)\"}" }
            + (0..<50).map { "  - {name: d\($0), url: \"http://dead-\($0).invalid/\"}" }
        let run = try await PollardMachine.run(
            configuration: """
                limits: {concurrency: 1000, per_host: 1000}
                defaults: {interval: 1s, timeout: 5min, connect_timeout: 5min}
                endpoints:
                  - {name: number, url: "\(server.url())", interval: 100ms}
                \(endpoints.joined(separator: "\n"))
                """,
            // Its address is one that no other test takes by chance; nothing answers there.
            """
            address=127.$((RANDOM % 200 + 20)).$((RANDOM % 250 + 1)).$((RANDOM % 250 + 1))
            python3 -c 'import socket, sys, time
            names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            names.bind((sys.argv[1], 53))
            print("bound", flush=True)
            time.sleep(3600)' "$address" >/run/names &
            until grep --quiet bound /run/names; do sleep 0.02; done
            echo "nameserver $address" >/run/resolv.conf
            mount --bind /run/resolv.conf "$(realpath /etc/resolv.conf)"
            extend_unit pollard <<<WatchdogSec=2
            systemctl start pollard
            port=$(printf '%04X' \(hanging.port))
            until (($(grep -c "^ *[0-9]*: 0100007F:[0-9A-F]* 0100007F:$port 01" /proc/net/tcp) >= 500))
            do
                sleep 0.05
            done
            # Five periods of the watchdog.
            end=$(($(now) + 10000000))
            while (($(now) < end)); do sleep 0.1; done
            before=$(entries MESSAGE_ID=\(MessageID.changed.rawValue) | wc -l)
            until_entries $((before + 5)) MESSAGE_ID=\(MessageID.changed.rawValue)
            show pollard NRestarts
            show pollard ActiveState
            journalctl --quiet --output=cat UNIT=pollard.service | grep --count Watchdog || true
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "0\nactive\n0\n")
        withExtendedLifetime(hanging) {}
    }

    @Test func `A stop that takes longer than the watchdog's limit ends in good order`()
        async throws
    {
        let run = try await PollardMachine.runWithHangingPoll(
            """
            extend_unit pollard <<<WatchdogSec=2
            start_with_hanging_poll
            systemctl stop pollard
            show pollard Result
            show pollard NRestarts
            """)
        #expect(run == ProgramRun(status: 0, output: "success\n0\n", errors: ""))
    }

    @Test func `A slow disk may make a start and a stop last longer than the unit allows`()
        async throws
    {
        let run = try await PollardMachine.run(
            configuration: "endpoints: []",
            variables: ["TRIP": try await TestProgram.trip.compiled()],
            """
            extend_unit pollard <<END
            TimeoutStartSec=3
            TimeoutStopSec=3
            WatchdogSec=2
            EnvironmentFile=-/run/trip.env
            END
            trip TRIP_DO=slow TRIP_SECONDS=5 TRIP_AT=sync
            start=$(now)
            systemctl start pollard
            (($(now) - start >= 5000000)) && echo a slow start
            systemctl stop pollard
            # Only what is new has to be written.
            rm /var/lib/private/pollard/pollard.*
            trip TRIP_DO=slow TRIP_SECONDS=5 'TRIP_AT=send STOPPING=1|sync'
            systemctl start pollard
            start=$(now)
            systemctl stop pollard
            (($(now) - start >= 5000000)) && echo a slow stop
            show pollard Result
            """)
        #expect(
            run == ProgramRun(status: 0, output: "a slow start\na slow stop\nsuccess\n", errors: "")
        )
    }

    @Test func `A start that hangs without a word ends when the unit says so`() async throws {
        let run = try await PollardMachine.run(
            configuration: "endpoints: []",
            variables: ["TRIP": try await TestProgram.trip.compiled()],
            """
            extend_unit pollard <<END
            TimeoutStartSec=2
            Restart=no
            EnvironmentFile=-/run/trip.env
            END
            # A process that stands still as a whole can't ask for more time.
            trip TRIP_DO=stop 'TRIP_AT=step PRAGMA'
            if systemctl start pollard 2>/dev/null; then echo started; fi
            show pollard Result
            """)
        #expect(run == ProgramRun(status: 0, output: "timeout\n", errors: ""))
    }
}
