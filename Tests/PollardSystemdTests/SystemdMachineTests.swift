// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// The module, the unit and the catalog in a real systemd, by means of `systemd-probe`.
@Suite(.needsSystemdMachine, .serialized) struct SystemdMachineTests {
    @Test func `An event arrives in the journal with its fields and its explanation`() async throws
    {
        let long = String(repeating: "x", count: 64 << 10)
        let run = try await run(
            """
            install -D -t /usr/local/lib/systemd/catalog systemd/pollard.catalog
            journalctl --update-catalog
            systemd-run --quiet --wait "$PROBE" report automatic \
                POLLARD_ENDPOINT=products POLLARD_URL=http://localhost/ $'POLLARD_LABEL_A=[\n]' \
                POLLARD_EVENT=0123 POLLARD_CHANGE=7 _UID=0 POLLARD_LABEL_LONG="$LONG" \
                POLLARD_PATCH="$LONG"
            until_entries 1 MESSAGE_ID=\(MessageID.changed.rawValue)
            # What journalctl shows of it unless it is asked for all.
            hidden=$(journalctl --quiet --output=json MESSAGE_ID=\(MessageID.changed.rawValue) \
                | grep --only-matching '"POLLARD_[A-Z_]*":null')
            [[ $hidden == '"POLLARD_PATCH":null' ]] || { echo "hidden: $hidden" >&2; exit 1; }
            entries MESSAGE_ID=\(MessageID.changed.rawValue)
            journalctl --quiet --catalog MESSAGE_ID=\(MessageID.changed.rawValue)
            """, variables: ["LONG": long])
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n", maxSplits: 1)
        try #require(lines.count == 2, "\(run.output)")
        let entry = try #require(try JournalEntry.entries(in: String(lines[0])).first)
        let expected = [
            "MESSAGE": "products: changed: 1 updated\n~ /name \"a\" -> \"\\u001b[31mb\"",
            "MESSAGE_ID": MessageID.changed.rawValue, "PRIORITY": "5",
            "SYSLOG_IDENTIFIER": "pollard", "POLLARD_ENDPOINT": "products",
            "POLLARD_URL": "http://localhost/", "POLLARD_LABEL_A": "[\n]", "POLLARD_EVENT": "0123",
            "POLLARD_CHANGE": "7", "POLLARD_PATCH": long,
            "POLLARD_LABEL_LONG": String(long.prefix(4095 - 19 - 3)) + "…",
            "POLLARD_OMITTED_FIELDS": "_UID",
            "_TRANSPORT": "journal",
        ]
        #expect(entry.fields.filter { expected.keys.contains($0.key) } == expected)
        #expect(!entry.fields.keys.contains { $0.hasPrefix("CODE_") })
        let explanation = lines[1]
        #expect(explanation.contains("Subject: products changed"))
        #expect(explanation.contains("The answer of products differs"))
        #expect(explanation.contains("are stored, as change 7."))
    }

    @Test func `Lines without a journal are entries with levels all the same`() async throws {
        let run = try await run(
            """
            mkdir /tmp/empty
            systemd-run --quiet --wait --property=BindPaths=/tmp/empty:/run/systemd/journal \
                --unit=lonely "$PROBE" report journal POLLARD_ENDPOINT=products
            # Not by _COMM: of a process that has ended, the journal no longer knows its name.
            entries _TRANSPORT=stdout SYSLOG_IDENTIFIER=systemd-probe
            """)
        #expect(run.status == 0, "\(run.errors)")
        let entries = try JournalEntry.entries(in: run.output)
        #expect(
            entries.map { "\($0["PRIORITY"] ?? "")  \($0["MESSAGE"] ?? "")" } == [
                "4  cannot reach the journal at '/run/systemd/journal/socket': no such file or "
                    + "directory; events are written to standard error, without their fields",
                "5  products: changed: 1 updated",
                #"5  ~ /name "a" -> "\u001b[31mb""#,
            ])
    }

    @Test func `A service in the sandbox of the unit starts, reloads, is watched and stops`()
        async throws
    {
        let run = try await run(
            """
            install_program "$PROBE"
            echo s3cret >/etc/token
            cp systemd/pollard.service /etc/systemd/system/probe.service
            extend_unit probe <<END
            ExecStart=
            ExecStart=/usr/bin/systemd-probe serve
            LoadCredential=token:/etc/token
            ExecReload=
            ExecReload=kill -HUP \\$MAINPID
            WatchdogSec=1
            RestartSec=0
            END

            systemctl start probe
            echo "$(show probe ActiveState): $(show probe StatusText)"
            systemctl reload probe
            until_is probe StatusText reloaded
            systemctl kill --signal=USR1 probe
            until_is probe NRestarts 1
            until_is probe StatusText 'a token of 6 bytes'
            systemctl stop probe
            echo "$(show probe ActiveState): $(show probe Result)"
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "active: a token of 6 bytes\ninactive: success\n")
    }

    @Test func `The unit is valid, and exposes less than 1.5 of 10`() async throws {
        let run = try await run(
            """
            install /dev/null -m 755 /usr/bin/pollard
            systemd-analyze --man=no verify "$PWD/systemd/pollard.service"
            systemd-analyze security --offline=true --threshold=15 --no-pager \
                "$PWD/systemd/pollard.service" >/dev/null
            """)
        #expect(run == ProgramRun(status: 0, output: "", errors: ""))
    }

    private func run(
        _ script: String, variables: [String: String] = [:]
    ) async throws -> ProgramRun {
        let probe = try ProjectFiles.executable("systemd-probe")
        return try await SystemdMachine.run(
            script, variables: variables.merging(["PROBE": probe]) { own, _ in own })
    }
}
