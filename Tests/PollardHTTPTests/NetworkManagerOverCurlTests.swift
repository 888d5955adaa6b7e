// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// The client over real connections: what it builds is what a server receives.
@Suite struct NetworkManagerOverCurlTests {
    @Test func `A URL reaches the server as it was built`() async throws {
        let server = try LoopbackServer { _ in .json("[1, 2]") }
        defer { server.stop() }
        let client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url("/v1/?key=a+b"),
            headers: ["Accept": "application/json"], authentication: .bearer("t"))
        let name = "a/b ü%?"
        let numbers: [Int] = try await client.get(
            .path("/people/\(name)/x", query: [QueryItem("q", "c+d&e"), QueryItem("n", nil)]))
        #expect(numbers == [1, 2])
        let request = try await server.waitForRequest()
        #expect(
            request.target
                == "/v1/people/a%2Fb%20%C3%BC%25%3F/x?key=a+b&q=c%2Bd%26e&n")
        #expect(request["Accept"] == "application/json")
        #expect(request["Authorization"] == "Bearer t")
    }

    @Test func `A content reaches the server with its type, and is sent again`() async throws {
        // On a kept connection that closes, libcurl would send again by itself.
        let server = try LoopbackServer(
            replies: .status(503, ["Retry-After": "0", "Connection": "close"]), .close,
            .status(204))
        defer { server.stop() }
        let client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(),
            retry: RetryPolicy(attempts: 3, initial: .milliseconds(1)))
        var endpoint = AnyEndpoint(path: "/form")
        endpoint.method = .put
        endpoint.body = .form([QueryItem("a b", "ü")])
        let response = try await client.response(for: endpoint)
        #expect(response.status == 204)
        #expect(response.attempts == 3)
        #expect(server.requests.map(\.text) == Array(repeating: "a+b=%C3%BC", count: 3))
        #expect(
            server.requests.map { $0["Content-Type"] }
                == Array(repeating: "application/x-www-form-urlencoded", count: 3))
    }

    @Test func `Nobody at the port is told after the last attempt`() async throws {
        let refusing = try RefusingPort()
        defer { withExtendedLifetime(refusing) {} }
        let client = NetworkManager(
            transport: try CurlTransport(), baseURL: "http://127.0.0.1:\(refusing.port)",
            retry: RetryPolicy(attempts: 2, initial: .milliseconds(1)))
        let error = await #expect(throws: NetworkError.self) {
            try await client.response(for: .path("/"))
        }
        #expect(error?.code == .connect)
        #expect(error?.attempts == 2)
    }
}
