// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// A configuration that changes while the service runs.
@Suite(.needsSystemdMachine, .serialized) struct ReloadTests {
    @Test func `A reload puts the new configuration in force before systemctl returns`()
        async throws
    {
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: kept, url: "\(server.url("/kept"))", interval: 1h}
                  - {name: gone, url: "\(server.url("/gone"))", interval: 1h}
                """,
            """
            systemctl start pollard
            before=$(show pollard MainPID)
            cat >/etc/pollard/pollard.yaml <<END
            endpoints:
              - {name: kept, url: "\(server.url("/kept"))", interval: 1h}
              - {name: new, url: "\(server.url("/new"))", interval: 100ms}
            END
            systemctl reload pollard
            entries MESSAGE_ID=\(MessageID.reloaded.rawValue)
            show pollard ActiveState
            [[ $(show pollard MainPID) == "$before" ]] && echo same process
            show pollard StatusText
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) POLLARD_ENDPOINT=new
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(run.output)")
        let entry = try #require(try JournalEntry.entries(in: lines[0]).first)
        #expect(entry["MESSAGE"] == "reloaded: 2 endpoints, 1 added, 1 removed")
        #expect(lines[1...2] == ["active", "same process"])
        #expect(lines[3].hasPrefix("2 endpoints, 0 failing; "))
    }

    @Test func `A bad configuration fails the reload, and the old one stays in force`()
        async throws
    {
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints: [{name: number, url: "\(server.url())", interval: 100ms}]
                """,
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            cp /etc/pollard/pollard.yaml /etc/pollard/good.txt
            echo 'endpoints: [{name: number, intervall: 1s}' >/etc/pollard/pollard.yaml
            systemctl reload pollard 2>/dev/null || echo refused
            show pollard ActiveState
            show pollard StatusText
            entries _COMM=pollard | grep --count 'error:'
            cp /etc/pollard/good.txt /etc/pollard/pollard.yaml
            systemctl reload pollard && echo accepted
            show pollard StatusText
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 6, "\(run.output)")
        #expect(lines[..<2] == ["refused", "active"])
        #expect(
            lines[2].hasPrefix(
                "new configuration rejected, the old one is in force: /etc/pollard/pollard.yaml:"))
        #expect(lines[2].contains("; 1 endpoint, 0 failing; "))
        #expect(lines[3] == "1")
        #expect(lines[4] == "accepted")
        #expect(lines[5].hasPrefix("1 endpoint, 0 failing; "))
    }

    @Test func `A daemon that dies during a reload is started anew at once`() async throws {
        let run = try await PollardMachine.run(
            configuration: "endpoints: []",
            """
            extend_unit pollard <<<RestartSec=0
            systemctl start pollard
            systemctl kill --kill-whom=main --signal=STOP pollard
            systemctl reload --no-block pollard
            until_is pollard ActiveState reloading
            start=$SECONDS
            systemctl kill --kill-whom=main --signal=KILL pollard
            until_is pollard NRestarts 1
            until_is pollard ActiveState active
            ((SECONDS - start < 20)) && echo soon
            """)
        #expect(run == ProgramRun(status: 0, output: "soon\n", errors: ""))
    }

    @Test func `Fifty reloads under load lose no poll and double none`() async throws {
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        let endpoints = (0..<20).map {
            "  - {name: e\($0), url: \"\(server.url("/e\($0)"))\", interval: 500ms}\n"
        }.joined()
        let run = try await PollardMachine.run(
            configuration: "endpoints:\n" + endpoints,
            """
            systemctl start pollard
            until_entries 20 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            for ((number = 0; number < 50; number++)); do
                sed --in-place "/name: extra/d; \\$a\\  - {name: extra$number, url: \\
                    \\"\(server.url("/extra"))\\", interval: 1h}" /etc/pollard/pollard.yaml
                systemctl reload pollard
            done
            entries MESSAGE_ID=\(MessageID.reloaded.rawValue) | wc -l
            systemctl stop pollard
            entries MESSAGE_ID=\(MessageID.overrunning.rawValue) | wc -l
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "50\n0\n")
        // Each endpoint in its phase, whatever was reloaded: as many polls as any other, give or
        // take the one at either end.
        let counts = Dictionary(grouping: server.requests.map(\.path), by: \.self)
            .filter { !$0.key.hasPrefix("/extra") }.mapValues(\.count)
        let numbers = counts.values.sorted()
        #expect(numbers.count == 20)
        #expect(try #require(numbers.last) - #require(numbers.first) <= 1, "\(numbers)")
    }
}
