// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Tokens from a token endpoint over real connections (RFC 6749, 4.4).
@Suite struct OAuth2ClientCredentialsTests {
    private let answer = #"{"access_token": "2YotnFZFEjr1zCsicMWpAA", "token_type": "Bearer"}"#

    private func provider(
        _ server: LoopbackServer, placement: OAuth2ClientCredentials.Placement = .basic
    ) throws -> OAuth2ClientCredentials {
        var environment = RetryEnvironment()
        environment.clock = SkippingClock()
        return OAuth2ClientCredentials(
            tokenURL: server.url("/token?key=hunter3"), clientID: "s6BhdRkqt3:ü",
            clientSecret: "hunter2 &%", scope: "read write", placement: placement,
            transport: try CurlTransport(), environment: environment)
    }

    @Test func `The client's id and secret are sent by HTTP Basic, encoded before`() async throws {
        let server = try LoopbackServer(replies: .json(answer))
        defer { server.stop() }
        let token = try await provider(server).freshToken()
        #expect(token == AccessToken("2YotnFZFEjr1zCsicMWpAA"))
        let request = server.requests[0]
        #expect(request.method == "POST")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request["Accept"] == "application/json")
        #expect(request.text == "grant_type=client_credentials&scope=read+write")
        // s6BhdRkqt3%3A%C3%BC:hunter2+%26%25
        #expect(
            request["Authorization"] == "Basic czZCaGRSa3F0MyUzQSVDMyVCQzpodW50ZXIyKyUyNiUyNQ==")
    }

    @Test func `They are sent in the content where the server wants that`() async throws {
        let server = try LoopbackServer(replies: .json(answer))
        defer { server.stop() }
        var provider = try provider(server, placement: .body)
        provider.scope = nil
        provider.parameters = [QueryItem("audience", "https://api.example.org")]
        _ = try await provider.freshToken()
        #expect(server.requests[0]["Authorization"] == nil)
        #expect(
            server.requests[0].text
                == "grant_type=client_credentials&client_id=s6BhdRkqt3%3A%C3%BC"
                + "&client_secret=hunter2+%26%25&audience=https%3A%2F%2Fapi.example.org")
    }

    @Test(arguments: [
        (#""expires_in": 3600"#, 3600), (#""expires_in": "3600""#, 3600),
        (#""expires_in": 59.9"#, 59), (#""expires_in": -1"#, nil), (#""expires_in": null"#, nil),
        (#""expires_in": 1e300"#, nil), (#""expires_in": "soon""#, nil), (#""x": 1"#, nil),
    ])
    func `A lifetime is read as servers give it`(member: String, seconds: Int?) async throws {
        let server = try LoopbackServer(
            replies: .json(#"{"access_token": "t", "token_type": "bearer", \#(member)}"#))
        defer { server.stop() }
        let token = try await provider(server).freshToken()
        #expect(token.lifetime == seconds.map { .seconds($0) })
    }

    private static let refusals: [(LoopbackServer.Reply, String)] = [
        (
            .json(
                #"{"error": "invalid_client", "error_description": "no such\n client"}"#,
                status: 401),
            "refuses: 'invalid_client: no such client'; "
                + "check the client's id and secret, and where they are sent"
        ),
        (
            .json(#"{"error": "invalid_scope"}"#, status: 400),
            "refuses: 'invalid_scope'; check the scope 'read write'"
        ),
        (
            .json(#"{"error": "unauthorized_client"}"#, status: 400),
            "refuses: 'unauthorized_client'; "
                + "allow the grant 'client_credentials' for the client at the server"
        ),
        (
            .json(
                #"{"error": "x", "error_description": "not hunter2 &% or hunter2+%26%25"}"#,
                status: 400), "refuses: 'x: not [removed] or [removed]'"
        ),
        (.text("no", status: 403), "answered 403 Forbidden"),
        (
            .redirect(to: "https://other.example/", status: 307),
            "redirects, which a secret does not follow; give the URL it redirects to"
        ),
        (
            .json(#"{"token_type": "Bearer"}"#),
            "answered what is no token: access_token: there is no such key"
        ),
        (
            .json(#"{"access_token": "t", "token_type": "mac"}"#),
            "gave a token of the type 'mac', not 'Bearer'"
        ),
        (.json(#"{"access_token": "", "token_type": "Bearer"}"#), "gave an empty token"),
    ]

    @Test(arguments: refusals.indices)
    func `A token endpoint that gives none says why`(index: Int) async throws {
        let (reply, message) = Self.refusals[index]
        let server = try LoopbackServer(replies: reply)
        defer { server.stop() }
        let error = await #expect(throws: NetworkError.self) {
            try await provider(server).freshToken()
        }
        #expect(error?.code == .authentication)
        #expect(error?.description == "the token endpoint '\(server.url("/token"))' \(message)")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        (#"{"access_token": "t0kEn", "token_type": "t0kEn hunter2 &%"}"#, 200),
        (
            #"{"error": "bad", "error_description": "czZCaGRSa3F0MyUzQSVDMyVCQzpodW50ZXIyKyUyNiUyNQ=="}"#,
            401
        ),
        (#"{"error": "bad", "error_description": "eyJhc3NlcnQ and s3cret"}"#, 400),
    ])
    func `An endpoint that repeats the token or what it was sent had that shown`(
        answer: String, status: Int
    ) async throws {
        let server = try LoopbackServer(replies: .json(answer, status: status))
        defer { server.stop() }
        var provider = try provider(server)
        provider.parameters = [
            QueryItem("client_assertion", "eyJhc3NlcnQ"), QueryItem("password", "s3cret"),
        ]
        let fixed = provider
        let error = try #require(
            await #expect(throws: NetworkError.self) { try await fixed.freshToken() })
        #expect(error.description.contains("[removed]"))
        var dumped = ""
        dump(error, to: &dumped)
        for secret in ["t0kEn", "hunter2", "czZCaGRS", "eyJhc3NlcnQ", "s3cret"] {
            #expect(!"\(error) \(dumped)".contains(secret))
        }
        #expect(error.response?.status == status)
        #expect(error.response?.body == [])
    }

    @Test func `A type of a token that is a megabyte long was shown as a whole`() async throws {
        let type = String(repeating: "mac ", count: 250_000)
        let server = try LoopbackServer(
            replies: .json(#"{"access_token": "t", "token_type": "\#(type)"}"#))
        defer { server.stop() }
        let error = try #require(
            await #expect(throws: NetworkError.self) { try await provider(server).freshToken() })
        #expect(error.description.count < 500)
    }

    @Test func `A token endpoint that is busy is asked again`() async throws {
        let server = try LoopbackServer(replies: .status(503), .json(answer))
        defer { server.stop() }
        _ = try await provider(server).freshToken()
        #expect(server.requests.count == 2)
    }

    @Test func `A client sends the token, and asks for another when it is refused`() async throws {
        let server = try LoopbackServer { request in
            switch (request.path, request["Authorization"]) {
            case ("/token", _):
                .json(#"{"access_token": "t\#(request.number)", "token_type": "bearer"}"#)
            case (_, "Bearer t3"): .json("[1]")
            default: .status(401)
            }
        }
        defer { server.stop() }
        var client = NetworkManager(transport: try CurlTransport(), baseURL: server.url())
        client.tokenProvider = try provider(server)
        #expect(try await client.get(.path("/a"), as: [Int].self) == [1])
        #expect(server.requests.map(\.path) == ["/token", "/a", "/token", "/a"])
    }

    @Test func `No description or dump has a part of the secret`() async throws {
        let server = try LoopbackServer(replies: .json(answer))
        defer { server.stop() }
        let provider = try provider(server)
        var dumped = ""
        dump(provider, to: &dumped)
        let texts = "\(provider) \(String(reflecting: provider)) \(dumped)"
        #expect(!texts.contains("hunter"))
        #expect(
            "\(provider)" == "client credentials of 's6BhdRkqt3:ü' for '\(server.url("/token"))'")
    }
}
