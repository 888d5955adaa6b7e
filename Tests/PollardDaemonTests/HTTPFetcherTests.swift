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
}
