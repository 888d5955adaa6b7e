// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// The cache between a client and its transport: what is stored, and what is given out.
@Suite struct CachingTransportTests {
    private struct Person: Codable, Sendable, Equatable {
        var name: String
    }

    private let caching = CachingFixture()

    @Test func `A client with a cache asks once`() async throws {
        let server = try LoopbackServer { _ in
            .json(#"{"name": "Ada"}"#, ["Cache-Control": "max-age=60"])
        }
        defer { server.stop() }
        let cache = ResponseCache()
        let client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(), cache: cache)
        for _ in 0..<3 {
            #expect(try await client.get(.path("/p")) == Person(name: "Ada"))
        }
        #expect(server.requests.count == 1)
        let statistics = await cache.statistics
        #expect(statistics.hits == 2)
        #expect(statistics.misses == 1)
        #expect(statistics.entries == 1)
        #expect(statistics.memoryBytes > 0)
        #expect(statistics.diskBytes == 0)
    }

    @Test func `A hit says so, with its age, and has no timing of a request`() async throws {
        let server = try LoopbackServer { _ in
            .text("a", ["Cache-Control": "max-age=60", "Cache-Status": "proxy; hit"])
        }
        defer { server.stop() }
        let transport = try caching.transport()
        let first = try await transport.send(HTTPRequest.get(server.url()))
        #expect(first.cacheOutcome == .miss)
        #expect(first.fields["Age"] == nil)
        #expect(
            first.fields[values: "Cache-Status"]
                == ["proxy; hit", "PollardHTTP; fwd=uri-miss; fwd-status=200; stored"])
        caching.clock.advance(7)
        let second = try await transport.send(HTTPRequest.get(server.url("/#part")))
        #expect(second.cacheOutcome == .hit)
        #expect(second.fields["Age"] == "7")
        #expect(second.fields[values: "Cache-Status"].last == "PollardHTTP; hit; ttl=53")
        #expect(second.body == Array("a".utf8))
        #expect(second.timing == HTTPTiming())
        #expect(second.remoteAddress == nil)
        #expect(first.remoteAddress == server.authority)
    }

    @Test func `A stale answer is confirmed with both validators`() async throws {
        let server = try LoopbackServer { request in
            request["If-None-Match"] == "\"1\""
                ? .status(304, ["Cache-Control": "max-age=60", "X-Seen": "again"])
                : .text(
                    "content",
                    [
                        "ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                        "Cache-Control": "max-age=5",
                    ])
        }
        defer { server.stop() }
        let transport = try caching.transport()
        _ = try await transport.send(HTTPRequest.get(server.url()))
        caching.clock.advance(5)
        let confirmed = try await transport.send(HTTPRequest.get(server.url()))
        #expect(confirmed.cacheOutcome == .revalidated)
        #expect(confirmed.status == 200)
        #expect(confirmed.body == Array("content".utf8))
        #expect(confirmed.fields["X-Seen"] == "again")
        #expect(
            confirmed.fields[values: "Cache-Status"] == [
                "PollardHTTP; fwd=stale; fwd-status=304"
            ])
        #expect(
            server.requests[1]["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        caching.clock.advance(59)
        #expect(try await transport.send(HTTPRequest.get(server.url())).cacheOutcome == .hit)
        #expect(server.requests.count == 2)
    }

    @Test func `Each answer of a redirect is cached for itself`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/old"
                ? [
                    .respond(
                        301, ["Location": "/new", "Cache-Control": "max-age=1000"], body: [0])
                ]
                : .text("here", ["Cache-Control": "max-age=10"])
        }
        defer { server.stop() }
        let transport = try caching.transport()
        let first = try await transport.send(HTTPRequest.get(server.url("/old")))
        #expect(first.body == Array("here".utf8))
        #expect(first.url == server.url("/new"))
        #expect(first.redirectCount == 1)
        caching.clock.advance(20)
        let second = try await transport.send(HTTPRequest.get(server.url("/old")))
        #expect(second.redirectCount == 1)
        #expect(server.requests.map(\.path) == ["/old", "/new", "/new"])
        var once = HTTPRequest.get(server.url("/old"))
        once.maximumRedirects = 0
        #expect(try await transport.send(once).status == 301)
    }

    @Test func `A loop of redirects ends though it is cached`() async throws {
        let server = try LoopbackServer { _ in
            [.respond(301, ["Location": "/", "Cache-Control": "max-age=1000"], body: [])]
        }
        defer { server.stop() }
        let transport = try caching.transport()
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest.get(server.url()))
        }
        #expect(error?.code == .tooManyRedirects)
        #expect(server.requests.count == 1)
        let plain = await #expect(throws: NetworkError.self) {
            try await CurlTransport().send(HTTPRequest.get(server.url()))
        }
        #expect(
            error?.description
                == "\(server.authority) redirects more than 10 times; "
                + "look for a loop, or raise 'maximumRedirects'")
        // The same as without a cache.
        #expect(error?.description == plain?.description)
    }

    @Test func `A server that is down is stood in for, as long as it allows`() async throws {
        let stub = StubTransport(
            .success(
                HTTPResponse(
                    status: 200, fields: ["Cache-Control": "max-age=1, stale-if-error=100"],
                    body: [1])),
            .failure(NetworkError(.connect, "it is down")))
        let transport = caching.transport(stub)
        _ = try await transport.send(HTTPRequest.get("https://h/"))
        caching.clock.advance(101)
        let old = try await transport.send(HTTPRequest.get("https://h/"))
        #expect(old.body == [1])
        #expect(old.cacheOutcome == .staleIfError)
        #expect(old.fields["Cache-Status"] == "PollardHTTP; fwd=stale; detail=stale-if-error")
        caching.clock.advance(1)
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest.get("https://h/"))
        }
        #expect(error?.message == "it is down")
        let asked = try await transport.send(
            HTTPRequest.get("https://h/", ["Cache-Control": "stale-if-error=1000"]))
        #expect(asked.cacheOutcome == .staleIfError)
        #expect(stub.requests.count == 4)
    }

    @Test func `An answer only from the cache is 504 without one`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=1"])
        }
        let transport = caching.transport(stub)
        let offline = HTTPRequest.get("https://h/", ["Cache-Control": "only-if-cached"])
        let refused = try await transport.send(offline)
        #expect(refused.status == 504)
        #expect(refused.cacheOutcome == .refused)
        #expect(stub.requests.isEmpty)
        _ = try await transport.send(HTTPRequest.get("https://h/"))
        #expect(try await transport.send(offline).status == 200)
        caching.clock.advance(2)
        #expect(try await transport.send(offline).status == 504)
        let stale = HTTPRequest.get("https://h/", ["Cache-Control": "only-if-cached, max-stale"])
        #expect(try await transport.send(stale).status == 200)
        #expect(stub.requests.count == 1)
    }

    @Test func `What is removed is asked for again`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=100"])
        }
        let cache = ResponseCache()
        let transport = caching.transport(stub, cache)
        for path in ["a", "b"] {
            _ = try await transport.send(HTTPRequest.get("https://h/\(path)"))
        }
        try await cache.remove(url: "https://H/a#x")
        #expect(try await transport.send(HTTPRequest.get("https://h/a")).cacheOutcome == .miss)
        #expect(try await transport.send(HTTPRequest.get("https://h/b")).cacheOutcome == .hit)
        try await cache.removeAll()
        #expect(await cache.statistics.entries == 0)
        #expect(try await transport.send(HTTPRequest.get("https://h/b")).cacheOutcome == .miss)
    }

    @Test func `HEAD is answered by what GET has stored`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=100"], body: [1, 2])
        }
        let transport = caching.transport(stub)
        _ = try await transport.send(HTTPRequest.get("https://h/"))
        let head = try await transport.send(HTTPRequest(url: "https://h/", method: .head))
        #expect(head.cacheOutcome == .hit)
        #expect(head.body.isEmpty)
        #expect(stub.requests.count == 1)
    }

    @Test func `A failure in the background is kept for whoever asks`() async throws {
        let stub = StubTransport(
            .success(
                HTTPResponse(
                    status: 200, fields: ["Cache-Control": "max-age=1, stale-while-revalidate=60"])),
            .failure(NetworkError(.connect, "it is down")))
        let cache = ResponseCache()
        let transport = caching.transport(stub, cache)
        _ = try await transport.send(HTTPRequest.get("https://h/"))
        caching.clock.advance(10)
        #expect(
            try await transport.send(HTTPRequest.get("https://h/")).cacheOutcome
                == .staleWhileRevalidate)
        try await waitUntil("the error") { await cache.statistics.lastError != nil }
        #expect(await cache.statistics.lastError?.message == "it is down")
    }

    @Test func `The cache's own refusal is not taken for a server's failure and sent again`()
        async throws
    {
        let stub = StubTransport { _ in HTTPResponse(status: 200) }
        let client = NetworkManager(
            transport: stub, baseURL: "https://h/",
            retry: RetryPolicy(attempts: 5, initial: .zero), cache: ResponseCache())
        let response = try await client.response(
            for: .path("/a", headers: ["Cache-Control": "only-if-cached"]))
        #expect(response.status == 504)
        #expect(response.cacheOutcome == .refused)
        #expect(response.attempts == 1)
        #expect(stub.requests.isEmpty)
        // A server's 504 is sent again still.
        let busy = StubTransport(.success(HTTPResponse(status: 504)))
        var other = client
        other.transport = busy
        #expect(try await other.response(for: .path("/b")).attempts == 5)
    }

    @Test func `A transport that is set is behind the cache, too`() async throws {
        let stub = StubTransport { request in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=60"])
        }
        var client = NetworkManager(
            transport: StubTransport.up(), baseURL: "https://h/", cache: ResponseCache())
        client.transport = stub
        #expect(try await client.response(for: .path("/")).cacheOutcome == .miss)
        #expect(try await client.response(for: .path("/")).cacheOutcome == .hit)
        client.cache = nil
        #expect(try await client.response(for: .path("/")).cacheOutcome == nil)
        #expect(stub.requests.count == 2)
    }
}
