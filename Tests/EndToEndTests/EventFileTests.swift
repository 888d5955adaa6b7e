// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Synchronization
import Testing

/// From a change to a unit that it starts, by the units of `systemd/examples`.
@Suite(.needsSystemdMachine, .serialized) struct EventFileTests {
    /// A document that is another number after each request for `/next`.
    private let server: LoopbackServer

    init() throws {
        let number = Mutex(0)
        server = try LoopbackServer { request in
            let value = number.withLock { number in
                if request.path == "/next" { number += 1 }
                return number
            }
            return .json("\(value)")
        }
    }

    /// Runs `script` where `pollard-event@price.path` waits for the first event.
    private func run(_ script: String) async throws -> ProgramRun {
        defer { server.stop() }
        return try await PollardMachine.run(
            configuration: """
                endpoints: [{name: price, url: "\(server.url())", interval: 100ms}]
                """,
            #"""
            change() { # as soon as systemd watches again
                until_is pollard-event@price.path SubState waiting
                change_at_once
            }
            change_at_once() {
                exec {server}<>/dev/tcp/127.0.0.1/PORT
                printf 'GET /next HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n' >&$server
                cat <&$server >/dev/null
                exec {server}>&-
            }
            until_handled() { # COUNT
                until_entries "$1" _SYSTEMD_UNIT=pollard-event@price.service
            }
            install -D -m 644 -t /etc/systemd/system systemd/examples/pollard-event@.*
            systemctl enable --quiet --now pollard-event@price.path

            """#.replacing("PORT", with: "\(server.port)") + script)
    }

    @Test func `Each event starts the unit with what the journal has, over restarts too`()
        async throws
    {
        let run = try await run(
            """
            systemctl start pollard
            until_handled 1
            change
            until_handled 2
            stat --format='%a %n' /run/pollard /run/pollard/* /run/pollard/events/*
            systemctl restart pollard
            change
            until_handled 3
            show pollard-event@price.path ActiveState
            show pollard-event@price.service Result
            entries MESSAGE_ID=\(MessageID.firstSnapshot.rawValue) \
                MESSAGE_ID=\(MessageID.changed.rawValue)
            journalctl --quiet --all --output=cat _SYSTEMD_UNIT=pollard-event@price.service
            """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 12, "\(run.output)")
        #expect(
            lines[..<6] == [
                "755 /run/pollard", "755 /run/pollard/events", "640 /run/pollard/reload.json",
                "644 /run/pollard/events/price.json", "active", "success",
            ])
        let reported = try JournalEntry.entries(in: lines[6..<9].joined(separator: "\n"))
        let handled = try JournalEntry.entries(in: lines[9...].joined(separator: "\n"))
        #expect(handled.map { $0["POLLARD_KIND"] } == ["first-snapshot", "changed", "changed"])
        for (file, entry) in zip(handled, reported) {
            let fields = file.fields.filter { $0.key != "TIMESTAMP" }
            #expect(fields == entry.fields.filter { fields.keys.contains($0.key) })
            #expect(fields["POLLARD_EVENT"]?.count == 32 && fields["MESSAGE"] != nil)
        }
    }

    @Test func `An event while the handler of the one before runs is handled after it`()
        async throws
    {
        let run = try await run(
            """
            cat >/usr/local/bin/on-event <<'END'
            #!/bin/bash
            cat
            until [[ -e /run/may-end ]]; do sleep 0.02; done
            END
            chmod 755 /usr/local/bin/on-event
            extend_unit pollard-event@ <<<Environment=HANDLER=/usr/local/bin/on-event
            systemctl start pollard
            until_handled 1
            change_at_once
            until grep --quiet '"changed"' /run/pollard/events/price.json; do sleep 0.02; done
            touch /run/may-end
            until_handled 2
            until_is pollard-event@price.service ActiveState inactive
            journalctl --quiet --all --output=cat _SYSTEMD_UNIT=pollard-event@price.service
            """)
        #expect(run.status == 0, "\(run.errors)")
        let handled = try JournalEntry.entries(in: run.output)
        #expect(handled.map { $0["POLLARD_KIND"] } == ["first-snapshot", "changed"])
    }
}
