// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import PollardCore
import PollardTestSupport
import Testing

/// Events beside changes, failures and recoveries, in the journal of a real machine.
@Suite(.needsSystemdMachine, .serialized) struct EventTests {
    @Test func `A process that stood still is late once, with the figures`() async throws {
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: a, url: "\(server.url("/a"))", interval: 1s}
                  - {name: b, url: "\(server.url("/b"))", interval: 1s}
                """,
            """
            stand_still() {
                systemctl kill --signal=STOP pollard
                local end=$((SECONDS + 8))
                until ((SECONDS >= end)); do sleep 0.1; done
                systemctl kill --signal=CONT pollard
            }
            systemctl start pollard
            until_entries 2 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            stand_still
            until_entries 1 MESSAGE_ID=\(MessageID.late.rawValue)
            stand_still
            systemctl stop pollard
            entries MESSAGE_ID=\(MessageID.late.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let entries = try JournalEntry.entries(in: run.output)
        try #require(entries.count == 1, "\(run.output)")
        let late = entries[0]
        #expect(late["PRIORITY"] == "4" && late["POLLARD_KIND"] == "late")
        #expect(late["POLLARD_LATE_POLLS"] == "2")
        let lateness = try #require(late["POLLARD_LATE_USEC"].flatMap { Int64($0) })
        #expect(lateness > 5_000_000)
        let humane = Duration.microseconds(lateness).humane
        #expect(
            late["MESSAGE"] == """
                late: 2 polls began up to \(humane) after they were due; the process was stopped, \
                or the machine has too much to do
                """)
    }

    @Test func `A certificate that expires soon is told once, over restarts too, until renewed`()
        async throws
    {
        let authority = try await TestAuthority()
        let server = try await NginxServer(
            secure: [
                .init(try await authority.certificate("short", days: 2)),
                .init(try await authority.certificate("long", days: 20)),
            ])
        defer { server.stop() }
        func configuration(_ index: Int) -> String {
            """
            endpoints:
              - name: page
                url: "\(server.secureURL("/1k", index))"
                interval: 100ms
                format: bytes
                expect: {certificate: 14d}
            """
        }
        let pem = String(
            decoding: try Data(contentsOf: URL(filePath: authority.certificate)), as: UTF8.self)
        let run = try await PollardMachine.run(
            configuration: configuration(0),
            """
            cat >>/etc/ssl/certs/ca-certificates.crt <<'END'
            \(pem)
            END
            told_at() {
                python3 - <<'END'
            import sqlite3
            store = sqlite3.connect("file:/var/lib/private/pollard/pollard.db?mode=ro", uri=True)
            print(store.execute("SELECT certificate_told_at FROM state").fetchone()[0])
            END
            }
            polls() { pollard status --json | sed 's/.*"polls":\\([0-9]*\\).*/\\1/'; }
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.certificateExpiring.rawValue)
            until (($(polls) >= 10)); do sleep 0.05; done
            cat /run/pollard/events/page.json
            systemctl restart pollard
            until (($(polls) >= 20)); do sleep 0.05; done
            [[ $(told_at) != None ]]
            cat >/etc/pollard/pollard.yaml <<'END'
            \(configuration(1))
            END
            systemctl reload pollard
            until [[ $(told_at) == None ]]; do sleep 0.05; done
            systemctl stop pollard
            entries MESSAGE_ID=\(MessageID.certificateExpiring.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 2, "\(run.output)")
        let entry = try #require(try JournalEntry.entries(in: lines[1]).first)
        let expiry = try #require(entry["POLLARD_CERTIFICATE_EXPIRY"])
        #expect(expiry.count == "2026-11-30T07:40:32Z".count)
        let message = try #require(entry["MESSAGE"])
        #expect(message.hasPrefix("page: certificate expires in 1d 23h, at \(expiry)"))
        #expect(message.hasSuffix("; renew it on the server"))
        #expect(entry["PRIORITY"] == "4" && entry["POLLARD_ENDPOINT"] == "page")
        #expect(entry["POLLARD_URL"] == server.secureURL("/1k"))
    }

    @Test func `An endpoint that is good and bad by turns fails once, also over a restart`()
        async throws
    {
        let server = try LoopbackServer { $0.number % 2 == 0 ? .status(503) : .json("1") }
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - name: flapping
                    url: \(server.url())
                    interval: 100ms
                    retry: {attempts: 1}
                    alert: {after: 12, within: 30, recover: 3}
                """,
            """
            failures() { pollard status --json | sed 's/.*"failures":\\([0-9]*\\).*/\\1/'; }
            systemctl start pollard
            until (($(failures) >= 4)); do sleep 0.05; done
            systemctl restart pollard
            until_entries 1 MESSAGE_ID=\(MessageID.failing.rawValue)
            until (($(failures) >= 20)); do sleep 0.05; done
            systemctl stop pollard
            failures
            entries MESSAGE_ID=\(MessageID.failing.rawValue) \\
                MESSAGE_ID=\(MessageID.recovered.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 2, "\(run.output)")
        let entry = try #require(try JournalEntry.entries(in: lines[1]).first)
        #expect(
            entry["MESSAGE"] == """
                flapping: failing: status 503 Service Unavailable (12 of the last 30 polls)
                """)
        #expect(entry["POLLARD_FAILURES"] == "12" && entry["POLLARD_PHASE"] == "answer")
    }

    @Test func `The event file of an endpoint that is removed is gone after the reload`()
        async throws
    {
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: kept, url: "\(server.url("/kept"))", interval: 100ms}
                  - {name: gone, url: "\(server.url("/gone"))", interval: 100ms}
                """,
            """
            systemctl start pollard
            until_entries 2 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            until [[ -e /run/pollard/events/gone.json ]]; do sleep 0.05; done
            sed -i /gone/d /etc/pollard/pollard.yaml
            systemctl reload pollard
            ls /run/pollard/events
            systemctl stop pollard
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "kept.json\n")
    }
}
