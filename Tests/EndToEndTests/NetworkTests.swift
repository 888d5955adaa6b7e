// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// Trouble of the network, on a real machine with a network namespace of its own.
@Suite(.needsSystemdMachine, .serialized) struct NetworkTests {
    /// For documentation (RFC 5737): nobody has them, and they are not on loopback by name.
    private static let addresses = (1...4).map { "192.0.2.\($0)" }

    private static func configuration(after: Int) -> String {
        let endpoints = addresses.enumerated().map { number, address in
            """
              - {name: web-\(number), url: "http://\(address):18080/", interval: 100ms, \
            format: text, connect_timeout: 200ms, retry: {attempts: 1}, alert: {after: \(after)}}

            """
        }
        return "endpoints:\n" + endpoints.joined()
    }

    /// Starts Pollard and a server on each address, in a namespace whose only link is `lo`.
    private static let start = """
        ip netns add lab
        ip -n lab link set lo up
        for address in \(addresses.joined(separator: " ")); do
            ip -n lab address add "$address/32" dev lo
        done
        mkdir /srv/web
        echo hello >/srv/web/index.html
        start_servers() {
            for address in \(addresses.joined(separator: " ")); do
                systemd-run --quiet --unit="web-$address" --collect \\
                    --property=NetworkNamespacePath=/run/netns/lab \\
                    python3 -m http.server --bind "$address" --directory /srv/web 18080
            done
            for address in \(addresses.joined(separator: " ")); do
                until ip netns exec lab bash -c "exec 3<>/dev/tcp/$address/18080" 2>/dev/null; do
                    sleep 0.05
                done
            done
        }
        start_servers
        extend_unit pollard <<<NetworkNamespacePath=/run/netns/lab
        systemctl start pollard
        until_entries 4 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)

        """

    @Test func `When the network is down that is one event, and none of the endpoints'`()
        async throws
    {
        let run = try await PollardMachine.run(
            configuration: Self.configuration(after: 10),
            Self.start + """
                ip -n lab link set lo down
                until_entries 1 MESSAGE_ID=\(MessageID.networkTrouble.rawValue)
                until [[ $(show pollard StatusText) == 'network trouble since '* ]]; do
                    sleep 0.05
                done
                # More than the threshold of each endpoint.
                fewest_failures() {
                    pollard status --json | sed 's/.*"failures":\\([0-9]*\\).*/\\1/' | sort -n |
                        head -n 1
                }
                until (($(fewest_failures) >= 30)); do sleep 0.1; done
                pollard status --json | grep --only-matching '"state":"[a-z]*"' | sort | uniq -c
                ip -n lab link set lo up
                until_entries 1 MESSAGE_ID=\(MessageID.networkRecovered.rawValue)
                until [[ $(show pollard StatusText) == '4 endpoints, 0 failing; '* ]]; do
                    sleep 0.05
                done
                systemctl stop pollard
                entries MESSAGE_ID=\(MessageID.networkTrouble.rawValue) \\
                    MESSAGE_ID=\(MessageID.networkRecovered.rawValue) \\
                    MESSAGE_ID=\(MessageID.failing.rawValue)
                """)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 3, "\(run.output)")
        #expect(lines[0].hasSuffix("4 \"state\":\"ok\""))
        let entries = try JournalEntry.entries(in: lines[1...].joined(separator: "\n"))
        let trouble = entries[0]
        #expect(trouble["POLLARD_KIND"] == "network-trouble" && trouble["PRIORITY"] == "3")
        #expect(trouble["POLLARD_HOSTS"] == "3")
        let error = try #require(trouble["POLLARD_ERROR"])
        #expect(
            trouble["MESSAGE"] == """
                network trouble: 3 of 4 hosts give no answer any more; their failed polls do not \
                count until one of them answers: \(error)
                """)
        let recovered = entries[1]
        #expect(recovered["POLLARD_KIND"] == "network-recovered" && recovered["PRIORITY"] == "5")
        #expect(recovered["MESSAGE"]?.hasSuffix("; failed polls count again") == true)
    }

    @Test func `Servers that refuse connections were trouble of the network`() async throws {
        let run = try await PollardMachine.run(
            configuration: Self.configuration(after: 3),
            Self.start + """
                systemctl stop 'web-*'
                until_entries 4 MESSAGE_ID=\(MessageID.failing.rawValue)
                systemctl stop pollard
                entries MESSAGE_ID=\(MessageID.networkTrouble.rawValue) \\
                    MESSAGE_ID=\(MessageID.failing.rawValue)
                """)
        #expect(run.status == 0, "\(run.errors)")
        let entries = try JournalEntry.entries(in: run.output)
        #expect(
            Set(entries.compactMap { $0["MESSAGE"] })
                == Set(
                    Self.addresses.enumerated().map { number, address in
                        """
                        web-\(number): failing: cannot connect to \(address):18080: connection \
                        refused; check that the server runs and the port is right (3 polls in a row)
                        """
                    }))
        #expect(entries.count == 4)
    }
}
