// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardDaemon

@Suite struct KeptConnectionsTests {
    private func endpoint(_ url: String, every seconds: Int) throws -> EndpointConfiguration {
        let name = try #require(EndpointName(rawValue: "e"))
        var endpoint = EndpointConfiguration(name: name, request: RequestConfiguration(url: url))
        endpoint.interval = .seconds(seconds)
        return endpoint
    }

    @Test func `With few hosts every connection is kept, also to hosts not named`() throws {
        let kept = KeptConnections(
            for: [try endpoint("https://a/x", every: 60), try endpoint("https://a/y", every: 60)],
            maximumHosts: 1)
        #expect(kept == KeptConnections())
        #expect(kept.includes(url: "https://elsewhere/"))
    }

    @Test func `With many hosts those polled most often are kept`() throws {
        let kept = KeptConnections(
            for: [
                try endpoint("https://a/x", every: 60), try endpoint("https://b?q=1", every: 30),
                try endpoint("http://c", every: 60), try endpoint("https://a/y", every: 5),
            ], maximumHosts: 2)
        #expect(kept.includes(url: "https://a/x"))
        #expect(kept.includes(url: "https://b?q=2"))
        #expect(kept.includes(url: "https://b"))
        #expect(!kept.includes(url: "http://c"))
        #expect(!kept.includes(url: "http://a/x"))
    }

    @Test func `One host in two spellings took the connections of two`() throws {
        let kept = KeptConnections(
            for: [
                try endpoint("https://a.test/x", every: 5),
                try endpoint("HTTPS://A.Test.:443/y", every: 5),
                try endpoint("https://b", every: 60),
            ], maximumHosts: 2)
        #expect(kept == KeptConnections())
    }

    @Test func `Disabled endpoints do not count`() throws {
        var disabled = try endpoint("https://a", every: 1)
        disabled.isEnabled = false
        let kept = KeptConnections(
            for: [disabled, try endpoint("https://b", every: 60)], maximumHosts: 1)
        #expect(kept == KeptConnections())
    }
}
