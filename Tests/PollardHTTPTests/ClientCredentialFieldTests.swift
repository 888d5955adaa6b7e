// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Header fields of a client that are credentials: where they go, and where they are not shown.
@Suite(.timeLimit(.minutes(1))) struct ClientCredentialFieldTests {
    private static let secret: HTTPFields = [
        "Cookie": "c=SECRET1", "X-Api-Key": "SECRET2", "X-Mine": "SECRET3",
        "Authorization": "Custom SECRET4",
    ]

    private func client(_ transport: any HTTPTransport, _ baseURL: String?) -> NetworkManager {
        var headers = Self.secret
        headers.append("User-Agent", "test")
        var client = NetworkManager(
            transport: transport, baseURL: baseURL, headers: headers, retry: .never)
        client.credentialFields = ["x-mine"]
        return client
    }

    private func secrets(in request: HTTPRequest) -> [String?] {
        Self.secret.lines.map { request.fields[$0.name] }
    }

    @Test func `A client's API key went to every host that an endpoint named`() async throws {
        let stub = StubTransport { _ in HTTPResponse(status: 200) }
        let client = client(stub, "https://h/v1")
        var elsewhere = AnyEndpoint(path: "/a")
        elsewhere.host = "other"
        for endpoint in [
            .url("https://other/"), .url("http://h/"), .url("https://h:8/"), elsewhere,
        ] {
            _ = try await client.response(for: endpoint)
        }
        _ = try await self.client(stub, nil).response(for: .url("https://h/"))
        for request in stub.requests {
            #expect(secrets(in: request) == [nil, nil, nil, nil])
            #expect(request.fields["User-Agent"] == "test")
        }
        for endpoint in [AnyEndpoint(path: "/a"), .url("https://H:443/b")] {
            _ = try await client.response(for: endpoint)
        }
        for request in stub.requests.suffix(2) {
            #expect(secrets(in: request) == Self.secret.lines.map(\.value))
            #expect(request.credentialFields == ["Cookie", "X-Api-Key", "X-Mine", "Authorization"])
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `A client's API key followed a redirect to another origin`(status: Int) async throws {
        let other = try LoopbackServer(replies: .text("x"))
        defer { other.stop() }
        let server = try LoopbackServer { request in
            request.path == "/there" ? .text("x") : .redirect(to: other.url("/"), status: status)
        }
        defer { server.stop() }
        let client = client(try CurlTransport(), server.url())
        _ = try await client.bytes(for: .path("/a"))
        #expect(other.requests.count == 1)
        for field in Self.secret.lines {
            #expect(server.requests[0][field.name] == field.value)
            #expect(other.requests[0][field.name] == nil)
        }
        #expect(other.requests[0]["User-Agent"] == "test")
    }

    @Test func `An endpoint's API key followed a redirect, since nobody had named it`()
        async throws
    {
        let other = try LoopbackServer(replies: .text("x"))
        defer { other.stop() }
        let server = try LoopbackServer(replies: .redirect(to: other.url("/")))
        defer { server.stop() }
        let client = NetworkManager(transport: try CurlTransport(), baseURL: server.url())
        _ = try await client.bytes(for: .path("/a", headers: ["X-Api-Key": "k"]))
        #expect(server.requests[0]["X-Api-Key"] == "k")
        #expect(other.requests[0]["X-Api-Key"] == nil)
    }

    @Test func `An error showed a client's API key that the server repeated`() async throws {
        let text = #"{"detail": "SECRET1 SECRET2 SECRET3 SECRET4 c=SECRET1"}"#
        let stub = StubTransport { _ in
            .json(text, status: 403, fields: ["Content-Type": "application/problem+json"])
        }
        let client = client(stub, "https://h")
        let error = await #expect(throws: NetworkError.self) {
            try await client.response(of: Int.self, for: .path("/a"))
        }
        let line = try #require(error?.description)
        for secret in ["SECRET2", "SECRET3", "SECRET4", "c=SECRET1"] {
            #expect(!line.contains(secret))
        }
    }
}
