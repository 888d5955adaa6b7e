// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// What goes past the cache, and what comes back marked.
@Suite struct CachingTransportBypassTests {
    private let caching = CachingFixture()

    @Test func `A range or a validator of the caller goes past the cache`() async throws {
        let stub = StubTransport { request in
            request.fields["Range"] != nil
                ? HTTPResponse(status: 206, fields: ["Cache-Control": "max-age=999"], body: [1])
                : HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=999"], body: [1, 2])
        }
        let transport = caching.transport(stub)
        _ = try await transport.send(HTTPRequest.get("https://h/"))
        let part = try await transport.send(HTTPRequest.get("https://h/", ["Range": "bytes=0-0"]))
        #expect(part.status == 206)
        #expect(part.fields["Cache-Status"] == "PollardHTTP; fwd=bypass")
        _ = try await transport.send(HTTPRequest.get("https://h/", ["If-None-Match": "\"x\""]))
        #expect(stub.requests.count == 3)
        #expect(try await transport.send(HTTPRequest.get("https://h/")).body == [1, 2])
    }

    @Test func `A stream is neither stored nor answered from the cache`() async throws {
        let server = try LoopbackServer { _ in .text("abc", ["Cache-Control": "max-age=60"]) }
        defer { server.stop() }
        let transport = try caching.transport()
        _ = try await transport.send(HTTPRequest.get(server.url()))
        for _ in 0..<2 {
            var bytes: [UInt8] = []
            for try await piece in try await transport.stream(HTTPRequest.get(server.url())) {
                bytes += piece
            }
            #expect(bytes == Array("abc".utf8))
        }
        #expect(server.requests.count == 3)
        #expect(try await transport.send(HTTPRequest.get(server.url())).cacheOutcome == .hit)
        _ = try await transport.stream(HTTPRequest(url: server.url(), method: .delete))
        #expect(try await transport.send(HTTPRequest.get(server.url())).cacheOutcome == .miss)
    }

    @Test func `Options of a request's own go past the cache`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=60"])
        }
        let transport = CachingTransport(stub, cache: ResponseCache())
        var request = HTTPRequest.get("https://h/")
        request.connection = ConnectionOptions()
        request.connection?.tls.verification = .insecureNone
        #expect(
            try await transport.send(request).fields["Cache-Status"]
                == "PollardHTTP; fwd=bypass")
        #expect(try await transport.send(HTTPRequest.get("https://h/")).cacheOutcome == .miss)
        #expect(stub.requests.count == 2)
    }

    @Test func `A redirect to another origin is marked, also on the way back`() async throws {
        let stub = StubTransport { request in
            switch request.url {
            case "https://a/": HTTPResponse(status: 302, fields: ["Location": "https://b/"])
            case "https://b/": HTTPResponse(status: 302, fields: ["Location": "https://a/2"])
            default: HTTPResponse(status: 200)
            }
        }
        let transport = CachingTransport(stub, cache: ResponseCache())
        #expect(try await transport.send(HTTPRequest.get("https://a/")).redirectCount == 2)
        #expect(stub.requests.map(\.hasLeftOrigin) == [false, true, true])
    }

    @Test func `A server can't say that an answer is from the cache`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Status": "PollardHTTP; hit"])
        }
        let client = NetworkManager(transport: stub, baseURL: "https://h/")
        #expect(try await client.response(for: .path("/")).cacheOutcome == nil)
        let cached = try await caching.transport(stub).send(.get("https://h/"))
        #expect(cached.cacheOutcome == .miss)
    }

    @Test func `A confirmation that nobody asked for is a miss, and is not stored`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 304, fields: ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        }
        let cache = ResponseCache()
        let transport = caching.transport(stub, cache)
        for _ in 0..<2 {
            let response = try await transport.send(.get("https://h/"))
            #expect(response.status == 304)
            #expect(response.cacheOutcome == .miss)
        }
        let statistics = await cache.statistics
        #expect(statistics.misses == 2)
        #expect(statistics.revalidations == 0)
        #expect(statistics.entries == 0)
    }
}
