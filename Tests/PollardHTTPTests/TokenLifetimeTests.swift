// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// How long a token is used, and what happens when no other is to be had.
@Suite(.timeLimit(.minutes(1))) struct TokenLifetimeTests {
    /// Gives the outcome that a test has for each call, counted from 1.
    private final class Provider: TokenProvider {
        let count = Watched(0)
        private let give: @Sendable (Int) async throws(NetworkError) -> AccessToken

        init(_ give: @escaping @Sendable (Int) async throws(NetworkError) -> AccessToken) {
            self.give = give
        }

        func freshToken() async throws(NetworkError) -> AccessToken {
            try await give(
                count.update {
                    $0 += 1
                    return $0
                })
        }
    }

    private let stub = StubTransport { _ in HTTPResponse(status: 200) }
    private let time = Watched<Int64>(1000)

    private func client(_ provider: Provider) -> NetworkManager {
        var environment = RetryEnvironment()
        environment.now = { [time] in time.value }
        var client = NetworkManager(
            transport: stub, baseURL: "https://h", environment: environment)
        client.tokenProvider = provider
        return client
    }

    private var sent: [String?] { stub.requests.map { $0.fields["Authorization"] } }

    @Test(arguments: [
        Duration.seconds(Int64.max), .seconds(Int64.max) * 10, .seconds(3_155_760_000),
    ])
    func `A lifetime beyond all numbers ended the process`(lifetime: Duration) async throws {
        let provider = Provider { _ in AccessToken("t", lifetime: lifetime) }
        let client = client(provider)
        _ = try await client.response(for: .path("/a"))
        time.update { $0 = .max }
        _ = try await client.response(for: .path("/a"))
        #expect(sent == ["Bearer t", "Bearer t"])
        #expect(provider.count.value == 1)
    }

    @Test(arguments: [Duration.seconds(Int64.min), .seconds(Int64.min) * 10, .zero])
    func `A lifetime that is over at once asks each time`(lifetime: Duration) async throws {
        let provider = Provider { AccessToken("t\($0)", lifetime: lifetime) }
        let client = client(provider)
        _ = try await client.response(for: .path("/a"))
        _ = try await client.response(for: .path("/a"))
        #expect(sent == ["Bearer t1", "Bearer t2"])
    }

    @Test func `A clock at its end does not make a lifetime overflow`() async throws {
        time.update { $0 = .max - 1 }
        let client = client(Provider { AccessToken("t\($0)", lifetime: .seconds(3600)) })
        _ = try await client.response(for: .path("/a"))
        #expect(sent == ["Bearer t1"])
    }

    @Test func `A good token was forgotten because an early replacement failed`() async throws {
        let provider = Provider { call throws(NetworkError) in
            guard call == 1 || call == 4 else { throw NetworkError(.connect, "login is down") }
            return AccessToken("t\(call)", lifetime: .seconds(100))
        }
        let client = client(provider)
        _ = try await client.response(for: .path("/a"))
        // 30 s before its end another is asked for, in vain; not by each request.
        time.update { $0 = 1075 }
        for _ in 1...3 { _ = try await client.response(for: .path("/a")) }
        #expect(provider.count.value == 2)
        #expect(sent == Array(repeating: "Bearer t1", count: 4))
        time.update { $0 = 1100 }
        let error = await #expect(throws: NetworkError.self) {
            try await client.response(for: .path("/a"))
        }
        #expect(error?.description == "cannot get a token: login is down")
        _ = try await client.response(for: .path("/a"))
        #expect(sent.last == "Bearer t4")
    }

    @Test func `A refused token is not used again when its replacement fails`() async throws {
        let refusing = StubTransport { _ in HTTPResponse(status: 401) }
        let provider = Provider { call throws(NetworkError) in
            guard call == 1 else { throw NetworkError(.connect, "login is down") }
            return AccessToken("t", lifetime: .seconds(1000))
        }
        var client = client(provider)
        client.transport = refusing
        for _ in 1...2 {
            let error = await #expect(throws: NetworkError.self) {
                try await client.response(for: .path("/a"))
            }
            #expect(error?.description == "cannot get a token: login is down")
        }
        #expect(refusing.requests.count == 1)
    }

    @Test func `A provider that hung was waited for without a limit`() async throws {
        let release = Watched(false)
        let provider = Provider { call in
            _ = try? await release.wait(for: "the end of the test") { $0 }
            return AccessToken("t\(call)")
        }
        let client = client(provider)
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.timeouts.total = .milliseconds(50)
        let fixed = endpoint
        let error = await #expect(throws: NetworkError.self) {
            try await client.response(for: fixed)
        }
        #expect(error?.code == .timeout)
        #expect(error?.timeout == .total)
        #expect(
            error?.description
                == "cannot get a token: the token provider gave no token within 50 ms")
        #expect(stub.requests.isEmpty)
        // It goes on for those who have more time, and is not called a second time.
        async let other = client.response(for: .path("/b"))
        release.update { $0 = true }
        _ = try await other
        #expect(provider.count.value == 1)
        #expect(sent == ["Bearer t1"])
    }

    @Test func `An answer of a transport that says no URL hid its 401`() async throws {
        struct Bare: HTTPTransport {
            func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
                HTTPResponse(status: 401)
            }
        }
        let provider = Provider { AccessToken("t\($0)") }
        var client = client(provider)
        client.transport = Bare()
        let response = try await client.response(for: .path("/a"))
        #expect(response.status == 401)
        #expect(response.url == "https://h/a")
        #expect(provider.count.value == 2)
    }

    @Test func `A token endpoint that is out of order looked like a refusal`() async throws {
        let endpoint = StubTransport(.success(HTTPResponse(status: 503)))
        var environment = RetryEnvironment()
        environment.clock = SkippingClock()
        var client = NetworkManager(transport: stub, baseURL: "https://h")
        client.tokenProvider = OAuth2ClientCredentials(
            tokenURL: "https://login/token", clientID: "c", clientSecret: "s",
            transport: endpoint, environment: environment)
        let fixed = client
        let error = await #expect(throws: NetworkError.self) {
            try await fixed.response(for: .path("/a"))
        }
        #expect(error?.code == .server)
        #expect(
            error?.description
                == "cannot get a token: the token endpoint 'https://login/token' "
                + "answered 503 Service Unavailable")
        let cause = error?.underlying as? NetworkError
        #expect(cause?.status == 503)
        #expect(cause?.history.map(\.outcome) == Array(repeating: .answered(503), count: 3))
        #expect(error?.history == [])
    }
}
