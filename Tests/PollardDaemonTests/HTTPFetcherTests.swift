// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardHTTP
import PollardTestSupport
import Testing

@testable import PollardDaemon

@Suite struct HTTPFetcherTests {
    @Test func `Nothing is kept of an endpoint that is forgotten`() async throws {
        let fetcher = HTTPFetcher(transport: StubTransport { _ in .json("1") })
        let names = try ["kept", "gone"].map { try #require(EndpointName(rawValue: $0)) }
        for name in names {
            let endpoint = EndpointConfiguration(
                name: name, request: RequestConfiguration(url: "http://127.0.0.1/"))
            _ = try await fetcher.fetch(endpoint, validators: Validators())
        }
        #expect(fetcher.preparedNames == Set(names))
        fetcher.forget(names[1])
        #expect(fetcher.preparedNames == [names[0]])
    }

    @Test func `Which connections are kept is decided anew at a reload`() async throws {
        let kept = Watched<[Bool]>([])
        let transport = StubTransport { request in
            kept.update { $0.append(request.keepsConnection) }
            return .json("1")
        }
        let fetcher = HTTPFetcher(transport: transport)
        func endpoint(_ url: String, every seconds: Int) throws -> EndpointConfiguration {
            let name = try #require(EndpointName(rawValue: "e"))
            var endpoint = EndpointConfiguration(
                name: name, request: RequestConfiguration(url: url))
            endpoint.interval = .seconds(seconds)
            return endpoint
        }
        let rare = try endpoint("http://127.0.0.1/", every: 60)
        let often = try endpoint("http://127.0.0.2/", every: 1)
        _ = try await fetcher.fetch(rare, validators: Validators())
        fetcher.keep(KeptConnections(for: [rare, often], maximumHosts: 1))
        _ = try await fetcher.fetch(rare, validators: Validators())
        fetcher.keep(KeptConnections(for: [rare], maximumHosts: 1))
        _ = try await fetcher.fetch(rare, validators: Validators())
        #expect(kept.value == [true, false, true])
    }

    @Test func `The limits of a transport follow from the configuration`() throws {
        var configuration = Configuration()
        #expect(CurlTransport.Limits(for: configuration).maximumRatePerOrigin == nil)
        configuration.limits.concurrency = 12
        configuration.limits.perHost = 3
        configuration.limits.perHostRate = .init(count: 100, period: .seconds(60))
        let name = try #require(EndpointName(rawValue: "daily"))
        var daily = EndpointConfiguration(
            name: name, request: RequestConfiguration(url: "http://127.0.0.1/"))
        daily.interval = .seconds(86_400)
        configuration.endpoints = [daily]
        var expected = CurlTransport.Limits()
        expected.maximumConcurrentRequests = 12
        expected.maximumPerOrigin = 3
        expected.maximumRatePerOrigin = RequestRate(100, per: .seconds(60))
        expected.maximumConnectionAge = .seconds(2 * 86_400)
        expected.keptConnections = 2048
        #expect(CurlTransport.Limits(for: configuration) == expected)
    }

    @Test func `The wait for a rate was told as the time that the server took`() async throws {
        let answers = Watched<[Result<HTTPResponse, NetworkError>]>([])
        let transport = StubTransport { _ throws(NetworkError) in
            try answers.update { $0.removeFirst() }.get()
        }
        let fetcher = HTTPFetcher(transport: transport)
        var endpoint = EndpointConfiguration(
            name: try #require(EndpointName(rawValue: "a")),
            request: RequestConfiguration(url: "http://127.0.0.1/"))
        endpoint.retry.attempts = 1
        // Less than the call itself takes, so that nothing else can be what is told.
        var response = HTTPResponse.json("1")
        response.timing.total = .nanoseconds(5)
        var error = NetworkError(.connect, "refused")
        error.timing.total = .nanoseconds(7)
        let prepared: [Result<HTTPResponse, NetworkError>] = [.success(response), .failure(error)]
        answers.update { $0 = prepared }
        let answer = try await fetcher.fetch(endpoint, validators: Validators())
        #expect(answer.timing.total == .nanoseconds(5))
        let failure = await #expect(throws: PollFailure.self) {
            try await fetcher.fetch(endpoint, validators: Validators())
        }
        #expect(failure?.timing.total == .nanoseconds(7))
    }

    // MARK: - Phases

    /// What must not come.
    private struct GoodAnswer: Error {}

    /// Fetches `url`, which must fail.
    private func failure(
        _ url: String, timeout: Duration = .seconds(30), connectTimeout: Duration = .seconds(30)
    ) async throws -> PollFailure {
        let transport = try CurlTransport()
        defer { transport.close() }
        let name = try #require(EndpointName(rawValue: "a"))
        var endpoint = EndpointConfiguration(name: name, request: RequestConfiguration(url: url))
        endpoint.retry.attempts = 1
        endpoint.request.timeout = timeout
        endpoint.request.connectTimeout = connectTimeout
        do throws(PollFailure) {
            _ = try await HTTPFetcher(transport: transport).fetch(
                endpoint, validators: Validators())
        } catch {
            return error
        }
        throw GoodAnswer()
    }

    @Test(arguments: [Duration.milliseconds(200), .seconds(30)])
    func `A port that does not answer times out while connecting`(timeout: Duration) async throws {
        let port = try UnansweredPort()
        let failure = try await failure(
            "http://127.0.0.1:\(port.port)/", timeout: timeout,
            connectTimeout: .milliseconds(200))
        #expect(failure.kind == .timeout && failure.phase == .connect)
        #expect(failure.isHostSilent)
        #expect(failure.message == "no connection to 127.0.0.1:\(port.port) within 200 ms")
        withExtendedLifetime(port) {}
    }

    @Test func `A server that is silent times out in the handshake, or in the answer`()
        async throws
    {
        let server = try LoopbackServer(replies: .hang)
        defer { server.stop() }
        let answer = try await failure(server.url(), timeout: .milliseconds(300))
        #expect(answer.kind == .timeout && answer.phase == .answer)
        // It took the connection.
        #expect(!answer.isHostSilent)
        let handshake = try await failure(
            "https://\(server.authority)/", connectTimeout: .milliseconds(300))
        #expect(handshake.kind == .timeout && handshake.phase == .tls, "\(handshake)")
        #expect(!handshake.isHostSilent)
    }

    @Test func `A content that stalls times out in the body`() async throws {
        let server = try LoopbackServer { _ in [.head(200, ["Content-Length": "9"]), .hang] }
        defer { server.stop() }
        let failure = try await failure(server.url(), timeout: .milliseconds(500))
        #expect(failure.kind == .timeout && failure.phase == .body && failure.status == 200)
        #expect(!failure.isHostSilent)
    }

    @Test func `A connection that breaks off does so in the answer or in the body`() async throws {
        let server = try LoopbackServer { request in
            request.target == "/none" ? [.close] : .cut("abc", announced: 9)
        }
        defer { server.stop() }
        let none = try await failure(server.url("/none"))
        #expect(none.kind == .body && none.phase == .answer && none.status == nil)
        #expect(!none.isHostSilent)
        let cut = try await failure(server.url("/cut"))
        #expect(cut.kind == .body && cut.phase == .body && cut.status == 200)
    }

    @Test func `Other failures are of the phase that their class says`() async throws {
        let refusing = try RefusingPort()
        let refused = try await failure("http://127.0.0.1:\(refusing.port)/")
        #expect(refused.kind == .connect && refused.phase == .connect)
        #expect(!refused.isHostSilent)
        withExtendedLifetime(refusing) {}
        let server = try LoopbackServer(greeting: [.text("HTTP/1.1 400 Bad Request\r\n\r\n")]) {
            _ in .close
        }
        defer { server.stop() }
        let plain = try await failure("https://\(server.authority)/")
        #expect(plain.kind == .tls && plain.phase == .tls)
        #expect(!plain.isHostSilent)
    }

    @Test func `A host that redirects to a silent one is not silent itself`() async throws {
        let port = try UnansweredPort()
        let server = try LoopbackServer { _ in
            [.head(302, ["Location": "http://127.0.0.1:\(port.port)/", "Content-Length": "0"])]
        }
        defer { server.stop() }
        let failure = try await failure(server.url(), connectTimeout: .milliseconds(300))
        #expect(failure.kind == .timeout && !failure.isHostSilent, "\(failure)")
        withExtendedLifetime(port) {}
    }

    @Test func `A host that goes silent on a kept connection is silent`() async throws {
        let server = try LoopbackServer { $0.target == "/hang" ? .hang : .json("1") }
        defer { server.stop() }
        let transport = try CurlTransport()
        defer { transport.close() }
        let fetcher = HTTPFetcher(transport: transport)
        var endpoint = EndpointConfiguration(
            name: try #require(EndpointName(rawValue: "a")),
            request: RequestConfiguration(url: server.url("/")))
        endpoint.retry.attempts = 1
        _ = try await fetcher.fetch(endpoint, validators: Validators())
        endpoint.request.url = server.url("/hang")
        endpoint.request.timeout = .milliseconds(300)
        let failure = await #expect(throws: PollFailure.self) {
            try await fetcher.fetch(endpoint, validators: Validators())
        }
        #expect(failure?.kind == .timeout && failure?.phase == .answer)
        #expect(failure?.isHostSilent == true)
    }
}
