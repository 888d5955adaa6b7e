// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// Limits on requests, and what becomes of polls that wait for them.
@Suite(.needsSystemdMachine, .serialized) struct LimitTests {
    @Test func `A raised limit takes effect at a reload under load, and no poll is lost`()
        async throws
    {
        let gate = try Gate()
        defer { gate.open() }
        let server = try LoopbackServer { request in
            request.path == "/reload" ? .text("") : [.wait(gate), .respond(200, body: [0x31])]
        }
        defer { server.stop() }
        let endpoints = (0..<8).map {
            "  - {name: e\($0), url: \"\(server.url("/e\($0)"))\", interval: 200ms}\n"
        }.joined()
        async let machine = PollardMachine.run(
            configuration: "limits: {per_host: 1}\nendpoints:\n" + endpoints,
            """
            systemctl start pollard
            until_entries 8 MESSAGE_ID=\(MessageID.overrunning.rawValue)
            tell_server \(server.port) /reload
            sed --in-place 's/per_host: 1/per_host: 4/' /etc/pollard/pollard.yaml
            systemctl reload pollard
            until_entries 8 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            systemctl stop pollard
            entries MESSAGE_ID=\(MessageID.failing.rawValue) | wc -l
            entries MESSAGE_ID=\(MessageID.configurationWarning.rawValue) | wc -l
            """)
        // One before the reload and three more after it, while none is answered.
        let seen = try await server.wait(for: "four polls at once") { $0.requests.count == 5 }
        gate.open()
        let run = try await machine
        #expect(seen.requests.map(\.path).firstIndex(of: "/reload") == 1)
        #expect(run == ProgramRun(status: 0, output: "0\n0\n", errors: ""))
        #expect(Set(server.requests.map(\.path)).count == 9)
    }

    @Test func `An overrun is told at its first poll, and then each hundred`() async throws {
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                limits: {per_host_rate: 1/h}
                endpoints: [{name: eager, url: "\(server.url())", interval: 100ms}]
                """,
            """
            systemctl start pollard
            until_entries 2 MESSAGE_ID=\(MessageID.overrunning.rawValue)
            entries MESSAGE_ID=\(MessageID.overrunning.rawValue) | head --lines=2
            systemctl stop pollard
            """)
        #expect(run.status == 0, "\(run.errors)")
        let entries = try JournalEntry.entries(in: run.output)
        #expect(
            entries.map { $0["MESSAGE"] } == [
                "eager: overrunning: a poll was left out since the one before took longer than "
                    + "the interval of 100 ms, or waited for its turn (see 'limits')",
                "eager: overrunning: 101 polls were left out since one before took longer than "
                    + "the interval of 100 ms, or waited for its turn (see 'limits')",
            ])
        #expect(entries.map { $0["POLLARD_SKIPPED"] } == ["1", "101"])
        #expect(entries.map { $0["PRIORITY"] } == ["4", "4"])
        #expect(server.requests.count == 1)
    }

    @Test func `Another store waits for the next start, and a warning says so`() async throws {
        let run = try await PollardMachine.run(
            configuration: "endpoints: []",
            """
            systemctl start pollard
            echo 'store: {path: /var/lib/pollard/other.db}' >>/etc/pollard/pollard.yaml
            systemctl reload pollard
            journalctl --sync
            journalctl --quiet --output=cat MESSAGE_ID=\(MessageID.configurationWarning.rawValue) \
                | grep 'the store'
            ls /var/lib/pollard/other.db 2>/dev/null || echo none
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == """
                the store stays /var/lib/pollard/pollard.db until the next start, not \
                /var/lib/pollard/other.db
                none

                """)
    }
}
