// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Synchronization
import Testing

/// Bearer tokens: shared, replaced once for all, and never shown to the wrong host.
@Suite struct TokenProviderTests {
    /// Gives `token-1`, `token-2` and so on, or what a test says.
    private final class Counter: TokenProvider {
        let count = Watched(0)
        private let give: @Sendable (Int) async throws(NetworkError) -> AccessToken

        init(
            _ give: @escaping @Sendable (Int) async throws(NetworkError) -> AccessToken = {
                AccessToken("token-\($0)")
            }
        ) {
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

    private func client(
        _ transport: any HTTPTransport, _ provider: any TokenProvider,
        baseURL: String = "https://h", now: @escaping @Sendable () -> Int64 = { 1000 }
    ) -> NetworkManager {
        var environment = RetryEnvironment()
        environment.clock = SkippingClock()
        environment.now = now
        var client = NetworkManager(
            transport: transport, baseURL: baseURL, environment: environment)
        client.tokenProvider = provider
        return client
    }

    /// A server that takes only this token.
    private func stub(taking token: String) -> StubTransport {
        StubTransport { request in
            request.fields["Authorization"] == "Bearer \(token)"
                ? .json("[]") : HTTPResponse(status: 401)
        }
    }

    // MARK: - One refresh

    @Test func `A hundred requests that get 401 at once cause exactly one refresh`() async throws {
        let everyoneIsHere = try Gate()
        let server = try LoopbackServer { request in
            guard request["Authorization"] == "Bearer token-1" else { return .json("[1]") }
            if request.number == 100 { everyoneIsHere.open() }
            return [.wait(everyoneIsHere), .respond(401)]
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumPerOrigin = 100
        let provider = Counter()
        let client = client(
            try CurlTransport(configuration: configuration), provider, baseURL: server.url())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...100 {
                group.addTask {
                    let response = try await client.response(of: [Int].self, for: .path("/a"))
                    #expect(response.value == [1])
                    let outcomes = response.history.map(\.outcome)
                    #expect(outcomes == [.answered(401), .answered(200)])
                }
            }
            try await group.waitForAll()
        }
        #expect(provider.count.value == 2)
        #expect(server.requests.count == 200)
        #expect(server.requests.count { $0["Authorization"] == "Bearer token-2" } == 100)
    }

    @Test func `The first requests wait for one token, which later ones use`() async throws {
        let gate = Watched(false)
        let provider = Counter { number throws(NetworkError) in
            await gate.isTrue()
            return AccessToken("token-\(number)")
        }
        let stub = stub(taking: "token-1")
        let client = client(stub, provider)
        async let first = client.response(for: .path("/a"))
        async let second = client.response(for: .path("/b"))
        try await provider.count.wait(for: "the provider to be asked") { $0 == 1 }
        #expect(stub.requests.isEmpty)
        gate.update { $0 = true }
        _ = try await (first, second)
        _ = try await client.response(for: .path("/c"))
        #expect(provider.count.value == 1)
        #expect(
            stub.requests.map(\.credentialFields) == Array(repeating: ["Authorization"], count: 3))
    }

    @Test func `A token that is refused twice is an answer, not a loop`() async throws {
        let provider = Counter()
        let stub = stub(taking: "another")
        let error = await #expect(throws: NetworkError.self) {
            try await client(stub, provider).get(.path("/a"), as: [Int].self)
        }
        #expect(error?.description == "the server answered 401 Unauthorized to GET https://h/a")
        #expect(error?.status == 401)
        #expect(error?.history.map(\.outcome) == [.answered(401), .answered(401)])
        #expect(provider.count.value == 2)
    }

    @Test func `A token is replaced shortly before it expires`() async throws {
        let time = Mutex<Int64>(1000)
        let provider = Counter {
            AccessToken("token-\($0)", lifetime: .seconds($0 == 1 ? 300 : 40))
        }
        let stub = StubTransport { _ in .json("[]") }
        let client = client(stub, provider, now: { time.withLock { $0 } })
        // 30 s before the end of a long life, and after three quarters of a short one.
        for now: Int64 in [1000, 1269, 1270, 1299, 1300] {
            time.withLock { $0 = now }
            _ = try await client.response(for: .path("/a"))
        }
        #expect(
            stub.requests.map { $0.fields["Authorization"] }
                == ["token-1", "token-1", "token-2", "token-2", "token-3"].map { "Bearer \($0)" })
    }

    // MARK: - Failures and cancellation

    @Test func `A refresh that fails fails all who wait, and the next request tries again`()
        async throws
    {
        let gate = Watched(false)
        let provider = Counter { number throws(NetworkError) in
            await gate.isTrue()
            guard number > 1 else { throw NetworkError(.connect, "nobody is there") }
            return AccessToken("token-\(number)")
        }
        let stub = stub(taking: "token-2")
        let client = client(stub, provider)
        let tasks = (1...10).map { _ in Task { await client.result([Int].self, for: .path("/a")) } }
        try await provider.count.wait(for: "the provider to be asked") { $0 == 1 }
        gate.update { $0 = true }
        var failures = 0
        for task in tasks {
            guard case .failure(let error) = await task.value else { continue }
            failures += 1
            #expect(error.code == .connect)
            #expect(error.description == "cannot get a token: nobody is there")
            #expect(error.attempts == 0)
        }
        // A task that was started late has the second refresh.
        #expect(failures >= 1)
        #expect(provider.count.value == (failures == 10 ? 1 : 2))
        #expect(try await client.get(.path("/a"), as: [Int].self) == [])
        #expect(provider.count.value == 2)
    }

    @Test func `Who is cancelled stops waiting at once, and the others get their token`()
        async throws
    {
        let gate = Watched(false)
        let provider = Counter { number throws(NetworkError) in
            await gate.isTrue()
            return AccessToken("token-\(number)")
        }
        let client = client(stub(taking: "token-1"), provider)
        let impatient = Task { await client.result([Int].self, for: .path("/a")) }
        try await provider.count.wait(for: "the provider to be asked") { $0 == 1 }
        let patient = Task { await client.result([Int].self, for: .path("/b")) }
        impatient.cancel()
        guard case .failure(let error) = await impatient.value else {
            Issue.record("the cancelled request succeeded")
            return
        }
        #expect(error.code == .cancelled)
        #expect(error.description == "the request was cancelled")
        gate.update { $0 = true }
        #expect(try await patient.value.get() == [])
        #expect(provider.count.value == 1)
    }

    @Test func `A task that is cancelled already asks for no token`() async throws {
        let provider = Counter()
        let client = client(stub(taking: "token-1"), provider)
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            return await client.result([Int].self, for: .path("/a"))
        }
        guard case .failure(let error) = await task.value else {
            Issue.record("the cancelled request succeeded")
            return
        }
        #expect(error.code == .cancelled)
        #expect(provider.count.value == 0)
    }

    @Test func `A token that can't be sent is the provider's error`() async throws {
        let provider = Counter { _ in AccessToken("a\r\nb") }
        let error = await #expect(throws: NetworkError.self) {
            try await client(stub(taking: "a"), provider).response(for: .path("/a"))
        }
        #expect(
            error?.description == "cannot get a token: the bearer token has a control character")
    }

    // MARK: - Where a token goes

    @Test func `A token goes to the client's own origin only, and where it is wanted`()
        async throws
    {
        let stub = StubTransport { _ in HTTPResponse(status: 200) }
        let provider = Counter()
        var client = client(stub, provider)
        client.headers = ["Authorization": "Basic x"]
        var open = AnyEndpoint(path: "/login")
        open.requiresToken = false
        var own = AnyEndpoint(path: "/own")
        own.authentication = .bearer("own")
        for endpoint in [.path("/a"), .url("https://H:443/b"), .url("http://h/"), open, own] {
            _ = try await client.response(for: endpoint)
        }
        #expect(
            stub.requests.map { $0.fields["Authorization"] }
                == ["Bearer token-1", "Bearer token-1", nil, "Basic x", "Bearer own"])
        #expect(provider.count.value == 1)
    }

    @Test func `A token does not follow a redirect to another origin, whose 401 is not about it`()
        async throws
    {
        let other = try LoopbackServer(replies: .status(401))
        defer { other.stop() }
        let server = try LoopbackServer { _ in .redirect(to: other.url("/")) }
        defer { server.stop() }
        let provider = Counter()
        let client = client(try CurlTransport(), provider, baseURL: server.url())
        let response = try await client.response(for: .path("/a"))
        #expect(response.status == 401)
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer token-1"])
        #expect(other.requests.map { $0["Authorization"] } == [nil])
        #expect(provider.count.value == 1)
    }

    @Test func `A copy of a client shares its token until it gets a provider of its own`()
        async throws
    {
        let stub = StubTransport { _ in HTTPResponse(status: 200) }
        let provider = Counter()
        let client = client(stub, provider)
        var copy = client
        copy.headers = ["X": "1"]
        _ = try await client.response(for: .path("/a"))
        _ = try await copy.response(for: .path("/a"))
        #expect(provider.count.value == 1)
        copy.tokenProvider = provider
        _ = try await copy.response(for: .path("/a"))
        #expect(provider.count.value == 2)
    }

    @Test func `No description or dump has a part of a token`() {
        let token = AccessToken("hunter2", lifetime: .seconds(1))
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token) \(String(reflecting: token)) \(dumped)".contains("hunter2"))
        #expect("\(token)" == "access token")
    }
}

extension Watched<Bool> {
    /// Waits until the value is true, or for as long as tests have patience.
    fileprivate func isTrue() async { _ = try? await wait(for: "the gate") { $0 } }
}
