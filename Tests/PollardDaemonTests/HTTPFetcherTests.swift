// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardHTTP
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
}
