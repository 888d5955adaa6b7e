// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// What an endpoint says of credentials and attempts holds for a queue too.
@Suite struct DeferredEndpointTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path(of: "outbox") }

    init() throws { directory = try TemporaryDirectory() }

    private struct Login: TokenProvider {
        let count: Watched<Int>

        func freshToken() async throws(NetworkError) -> AccessToken {
            count.update { $0 += 1 }
            return AccessToken("token")
        }
    }

    private func client(_ transport: StubTransport, _ count: Watched<Int>) -> NetworkManager {
        var environment = RetryEnvironment()
        environment.clock = SkippingClock()
        var client = NetworkManager(
            transport: transport, baseURL: "https://h", environment: environment)
        client.tokenProvider = Login(count: count)
        return client
    }

    private var login: AnyEndpoint {
        var endpoint = AnyEndpoint(path: "/login")
        endpoint.method = .put
        endpoint.requiresToken = false
        endpoint.retry = .never
        return endpoint
    }

    @Test func `A queue sent an endpoint with a token and again that wanted neither`() async throws
    {
        let queue = try DeferredRequests(directory: path)
        let count = Watched(0)
        let down = StubTransport(.failure(NetworkError(.connect, "refused")))
        _ = try await queue.send(login, using: client(down, count))
        #expect(down.requests.map { $0.fields["Authorization"] } == [nil])
        #expect(count.value == 0)
    }

    @Test func `Nor does a replay, also in another process`() async throws {
        let count = Watched(0)
        let down = StubTransport(.failure(NetworkError(.connect, "refused")))
        do {
            let queue = try DeferredRequests(directory: path)
            _ = try await queue.send(login, using: client(down, count))
        }
        let queue = try DeferredRequests(directory: path)
        let busy = StubTransport(.success(HTTPResponse(status: 503)))
        #expect(try await queue.replay(using: client(busy, count)).end == .postponed)
        #expect(busy.requests.map { $0.fields["Authorization"] } == [nil])
        #expect(count.value == 0)
    }

    @Test func `An endpoint without wishes has the token and the policy of the client`()
        async throws
    {
        let queue = try DeferredRequests(directory: path)
        let count = Watched(0)
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.method = .put
        let down = StubTransport(.failure(NetworkError(.connect, "refused")))
        _ = try await queue.send(endpoint, using: client(down, count))
        #expect(down.requests.count == 3)
        let up = StubTransport(
            .success(HTTPResponse(status: 503)), .success(HTTPResponse(status: 200)))
        #expect(try await queue.replay(using: client(up, count)).delivered == 1)
        #expect(up.requests.map { $0.fields["Authorization"] } == ["Bearer token", "Bearer token"])
    }
}
