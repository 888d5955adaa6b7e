// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// From a document on a server to an entry in the journal.
@Suite(.needsSystemdMachine, .serialized) struct JournalTests {
    @Test func `Each change of a document is one entry, with its fields and its explanation`()
        async throws
    {
        let documents = [
            #"[{"id":1,"price":10}]"#, #"[{"id":1,"price":12},{"id":2,"price":7}]"#, "[]",
        ]
        let server = try LoopbackServer(
            replies: .json(documents[0]), .json(documents[1]), .json(documents[1]),
            .json(documents[2]))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - name: products
                    url: \(server.url("/products"))
                    interval: 100ms
                    identity: id
                    priority: warning
                    labels: {team: shop}
                """,
            """
            systemctl start pollard
            until_entries 2 MESSAGE_ID=\(MessageID.changed.rawValue)
            systemctl stop pollard
            for document in \(documents.map { "'\($0)'" }.joined(separator: " ")); do
                printf %s "$document" | sha256sum | cut -d ' ' -f 1
            done
            entries MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) \
                MESSAGE_ID=\(MessageID.changed.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 6, "\(run.output)")
        let digests = lines[..<3].map(String.init)
        let entries = try JournalEntry.entries(in: lines[3...].joined(separator: "\n"))

        let common = [
            "POLLARD_ENDPOINT": "products", "POLLARD_URL": server.url("/products"),
            "POLLARD_METHOD": "GET", "POLLARD_STATUS": "200", "POLLARD_LABEL_TEAM": "shop",
            "POLLARD_ATTEMPTS": "1",
            "SYSLOG_IDENTIFIER": "pollard", "_SYSTEMD_UNIT": "pollard.service",
        ]
        let first = common.merging([
            "MESSAGE_ID": MessageID.firstSnapshot.rawValue, "PRIORITY": "6",
            "POLLARD_KIND": "first-snapshot", "MESSAGE": "products: first snapshot",
            "POLLARD_SNAPSHOT": digests[0],
        ]) { $1 }
        let second = common.merging([
            "MESSAGE_ID": MessageID.changed.rawValue, "PRIORITY": "4", "POLLARD_KIND": "changed",
            "MESSAGE": """
            products: changed: 1 added, 1 updated
            ~ /0/price 10 -> 12 (id 1)
            + /1 {"id":2,"price":7}
            """,
            "POLLARD_PREVIOUS": digests[0], "POLLARD_SNAPSHOT": digests[1], "POLLARD_ADDED": "1",
            "POLLARD_REMOVED": "0", "POLLARD_UPDATED": "1", "POLLARD_MOVED": "0",
        ]) { $1 }
        let third = common.merging([
            "MESSAGE_ID": MessageID.changed.rawValue, "POLLARD_KIND": "changed",
            "POLLARD_PREVIOUS": digests[1], "POLLARD_SNAPSHOT": digests[2],
            "POLLARD_ADDED": "0", "POLLARD_REMOVED": "2", "POLLARD_UPDATED": "0",
        ]) { $1 }
        for (entry, expected) in zip(entries, [first, second, third]) {
            #expect(entry.fields.filter { expected.keys.contains($0.key) } == expected)
        }
        #expect(Set(entries.map { $0["POLLARD_EVENT"] }).count == 3)
        for entry in entries { #expect(entry["POLLARD_EVENT"]?.count == 32) }
    }

    @Test func `journalctl explains each kind of entry`() async throws {
        let server = try LoopbackServer(replies: .json("1"), .json("2"), .status(503), .json("2"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - {name: number, url: "\(server.url())", interval: 100ms, retry: {attempts: 1}}
                """,
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.recovered.rawValue)
            systemctl stop pollard
            journalctl --sync
            # Without what a busy machine may add.
            journalctl --quiet --catalog --identifier=pollard | sed -n 's/^.* Subject: //p' \
                | grep --invert-match --regexp='than its interval' --regexp='than they are due'
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == """
                Pollard has started
                First snapshot of number
                number changed
                number is failing
                number recovered
                Pollard is stopping

                """)
    }

    @Test func `An endpoint fails once and recovers once, with the cause and the count`()
        async throws
    {
        let server = try LoopbackServer(
            replies: .json("1"), .status(503), .status(503), .status(503), .json("1"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - name: flaky
                    url: \(server.url("/flaky"))
                    interval: 100ms
                    retry: {attempts: 1}
                    alert: {after: 2}
                """,
            """
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.recovered.rawValue)
            systemctl stop pollard
            entries MESSAGE_ID=\(MessageID.failing.rawValue) \
                MESSAGE_ID=\(MessageID.recovered.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let entries = try JournalEntry.entries(in: run.output)
        try #require(entries.count == 2, "\(run.output)")
        let failing = [
            "MESSAGE": "flaky: failing: status 503 Service Unavailable (2 polls in a row)",
            "PRIORITY": "3", "POLLARD_KIND": "failing", "POLLARD_ENDPOINT": "flaky",
            "POLLARD_STATUS": "503", "POLLARD_FAILURE": "status", "POLLARD_FAILURES": "2",
            "POLLARD_ATTEMPTS": "1", "POLLARD_ERROR": "status 503 Service Unavailable",
        ]
        #expect(entries[0].fields.filter { failing.keys.contains($0.key) } == failing)
        let recovered = [
            "PRIORITY": "5", "POLLARD_KIND": "recovered", "POLLARD_ENDPOINT": "flaky",
            "POLLARD_FAILURES": "3",
        ]
        #expect(entries[1].fields.filter { recovered.keys.contains($0.key) } == recovered)
        #expect(entries[1]["MESSAGE"]?.hasSuffix("(3 failed polls)") == true)
    }

    @Test func `A change while the daemon was killed is reported, and nothing twice`()
        async throws
    {
        // A daemon keeps its connection; another one has another.
        let server = try LoopbackServer { .json($0.connection == 1 ? "1" : "2") }
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints: [{name: number, url: "\(server.url())", interval: 200ms}]
                """,
            """
            extend_unit pollard <<<RestartSec=0
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            systemctl kill --signal=KILL pollard
            until_entries 1 MESSAGE_ID=\(MessageID.changed.rawValue)
            systemctl stop pollard
            entries MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) \
                MESSAGE_ID=\(MessageID.changed.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        let messages = try JournalEntry.entries(in: run.output).map { $0["MESSAGE"] }
        #expect(
            messages == [
                "number: first snapshot", "number: changed: 1 updated\n~ (document) 1 -> 2",
            ])
    }

    @Test func `A credential reaches the server, and never the journal`() async throws {
        let server = try LoopbackServer(replies: .json("1"))
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: """
                endpoints:
                  - name: number
                    url: \(server.url())
                    interval: 100ms
                    auth: {bearer: {credential: token}}
                """,
            """
            echo s3cret >/etc/pollard/token
            chmod 600 /etc/pollard/token
            extend_unit pollard <<<LoadCredential=token:/etc/pollard/token
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            systemctl stop pollard
            journalctl --sync
            journalctl --all --output=export | grep --count s3cret || true
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "0\n")
        #expect(server.requests.first?["Authorization"] == "Bearer s3cret")
    }
}
