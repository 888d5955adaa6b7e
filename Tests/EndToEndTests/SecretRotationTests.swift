// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// Secrets that change while the service runs.
@Suite(.needsSystemdMachine, .serialized) struct SecretRotationTests {
    /// Answers 1 to the old token, 2 to the new one, and refuses any other.
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            switch request["Authorization"] {
            case "Bearer old-token": .json("1")
            case "Bearer new-token": .json("2")
            default: .status(request.path == "/" ? 401 : 204)
            }
        }
    }

    /// An endpoint on the server with a bearer token from somewhere, the last line of it.
    private func configuration(_ server: LoopbackServer, token: String) -> String {
        """
        endpoints:
          - name: number
            url: \(server.url())
            interval: 100ms
            auth: {bearer: \(token)}
        """
    }

    private func tokens(_ server: LoopbackServer) -> [String] {
        server.requests.map { $0["Authorization"] ?? $0.path }
    }

    @Test func `A new secret in a file is used after a reload, and the old one no more`()
        async throws
    {
        let server = try server()
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: configuration(server, token: "{file: /etc/pollard/token}"),
            """
            echo old-token >/etc/pollard/token
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            echo new-token >/etc/pollard/token
            before=$(show pollard MainPID)
            systemctl reload pollard
            until_entries 1 MESSAGE_ID=\(MessageID.changed.rawValue)
            [[ $(show pollard MainPID) == "$before" ]] && echo same process
            systemctl stop pollard
            entries MESSAGE_ID=\(MessageID.reloaded.rawValue) | jq --raw-output .MESSAGE
            """)
        #expect(
            run
                == ProgramRun(
                    status: 0,
                    output: "same process\nreloaded: 1 endpoint, 1 changed\n", errors: ""))
        let tokens = tokens(server)
        let first = try #require(tokens.firstIndex(of: "Bearer new-token"))
        #expect(tokens[..<first].allSatisfy { $0 == "Bearer old-token" })
        #expect(tokens[first...].allSatisfy { $0 == "Bearer new-token" })
    }

    @Test func `A new credential is used after a restart, as the manual says`() async throws {
        let server = try server()
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: configuration(server, token: "{credential: token}"),
            """
            echo old-token >/etc/pollard/token
            extend_unit pollard <<<LoadCredential=token:/etc/pollard/token
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            echo new-token >/etc/pollard/token
            systemctl reload pollard
            tell_server \(server.port) /reloaded
            systemctl restart pollard
            until_entries 1 MESSAGE_ID=\(MessageID.changed.rawValue)
            systemctl stop pollard
            """)
        #expect(run == ProgramRun(status: 0, output: "", errors: ""))
        let tokens = tokens(server)
        let first = try #require(tokens.firstIndex(of: "Bearer new-token"))
        #expect(tokens[..<first].allSatisfy { $0 != "Bearer new-token" })
        #expect(tokens[first...].allSatisfy { $0 == "Bearer new-token" })
        #expect(try #require(tokens.firstIndex(of: "/reloaded")) < first)
    }

    @Test func `A secret that is gone at a reload leaves the old configuration in force`()
        async throws
    {
        let server = try server()
        defer { server.stop() }
        let run = try await PollardMachine.run(
            configuration: configuration(server, token: "{file: /etc/pollard/token}"),
            """
            echo old-token >/etc/pollard/token
            systemctl start pollard
            until_entries 1 MESSAGE_ID=\(MessageID.firstSnapshot.rawValue)
            rm /etc/pollard/token
            sed --in-place 's/100ms/200ms/; $ a\\    headers: {X-Key: {credential: other}}' \
                /etc/pollard/pollard.yaml
            systemctl reload pollard 2>/dev/null || echo refused
            tell_server \(server.port) /refused
            journalctl --sync
            journalctl --quiet --output=cat \
                MESSAGE_ID=\(MessageID.configurationRejected.rawValue)
            """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == """
                refused
                configuration rejected: /etc/pollard/pollard.yaml:5:27: error: 'bearer': file \
                '/etc/pollard/token' is not there
                configuration rejected: /etc/pollard/pollard.yaml:6:35: error: 'X-Key': \
                credential 'other' is not there: systemd has given this process no credentials \
                (add LoadCredential=other:/etc/pollard/other to the unit)

                """)
        // The old secret goes on being used.
        #expect(server.requests.allSatisfy { $0["X-Key"] == nil })
        #expect(tokens(server).allSatisfy { ["Bearer old-token", "/refused"].contains($0) })
    }
}
