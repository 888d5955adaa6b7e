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

    @Test func `A limit that is passed is named as the configuration names it`() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/large": [.head(200, ["Content-Length": "\((16 << 20) + 1)"]), .hang]
            default: .redirect(to: "/loop")
            }
        }
        defer { server.stop() }
        #expect(
            try await failure(server.url("/large")).message
                == "\(server.authority) sent more than 16 MiB of content; "
                + "raise 'max_body' if that is to be expected")
        #expect(
            try await failure(server.url("/loop")).message
                == "\(server.authority) redirects more than 10 times; look for a loop")
    }

    @Test(arguments: [Duration.milliseconds(200), .seconds(30)])
    func `A port that does not answer times out while connecting`(timeout: Duration) async throws {
        let port = try UnansweredPort()
        let failure = try await failure(
            "http://127.0.0.1:\(port.port)/", timeout: timeout,
            connectTimeout: .milliseconds(200))
        #expect(failure.kind == .timeout && failure.phase == .connect)
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
        let handshake = try await failure(
            "https://\(server.authority)/", connectTimeout: .milliseconds(300))
        #expect(handshake.kind == .timeout && handshake.phase == .tls, "\(handshake)")
    }

    @Test func `A content that stalls times out in the body`() async throws {
        let server = try LoopbackServer { _ in [.head(200, ["Content-Length": "9"]), .hang] }
        defer { server.stop() }
        let failure = try await failure(server.url(), timeout: .milliseconds(500))
        #expect(failure.kind == .timeout && failure.phase == .body && failure.status == 200)
    }

    @Test func `A connection that breaks off does so in the answer or in the body`() async throws {
        let server = try LoopbackServer { request in
            request.target == "/none" ? [.close] : .cut("abc", announced: 9)
        }
        defer { server.stop() }
        let none = try await failure(server.url("/none"))
        #expect(none.kind == .body && none.phase == .answer && none.status == nil)
        let cut = try await failure(server.url("/cut"))
        #expect(cut.kind == .body && cut.phase == .body && cut.status == 200)
    }

    @Test func `Other failures are of the phase that their class says`() async throws {
        let refusing = try RefusingPort()
        let refused = try await failure("http://127.0.0.1:\(refusing.port)/")
        #expect(refused.kind == .connect && refused.phase == .connect)
        withExtendedLifetime(refusing) {}
        let server = try LoopbackServer(greeting: [.text("HTTP/1.1 400 Bad Request\r\n\r\n")]) {
            _ in .close
        }
        defer { server.stop() }
        let plain = try await failure("https://\(server.authority)/")
        #expect(plain.kind == .tls && plain.phase == .tls)
    }
}
