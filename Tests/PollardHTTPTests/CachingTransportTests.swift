// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Synchronization
import Testing

@testable import PollardHTTP

/// The cache between a client and a real server.
@Suite struct CachingTransportTests {
    private struct Person: Codable, Sendable, Equatable {
        var name: String
    }

    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(1_800_000_000)

        var now: Int64 { seconds.withLock { $0 } }
        func advance(_ count: Int64) { seconds.withLock { $0 += count } }
    }

    private let clock = Clock()

    private func transport(
        _ cache: ResponseCache = ResponseCache()
    ) throws -> CachingTransport {
        CachingTransport(try CurlTransport(), cache: cache) { [clock] in clock.now }
    }

    private func get(_ url: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(url: url, fields: fields)
    }

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
        let transport = try transport()
        let first = try await transport.send(get(server.url()))
        #expect(first.cacheOutcome == .miss)
        #expect(first.fields["Age"] == nil)
        #expect(
            first.fields[values: "Cache-Status"]
                == ["proxy; hit", "PollardHTTP; fwd=uri-miss; fwd-status=200; stored"])
        clock.advance(7)
        let second = try await transport.send(get(server.url("/#part")))
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
        let transport = try transport()
        _ = try await transport.send(get(server.url()))
        clock.advance(5)
        let confirmed = try await transport.send(get(server.url()))
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
        clock.advance(59)
        #expect(try await transport.send(get(server.url())).cacheOutcome == .hit)
        #expect(server.requests.count == 2)
    }

    @Test func `Equal requests at once are one`() async throws {
        let gate = try Gate()
        let server = try LoopbackServer { _ in
            [.wait(gate), .respond(200, ["Cache-Control": "max-age=60"], body: [1])]
        }
        defer { server.stop() }
        let transport = try transport()
        let url = server.url()
        let outcomes = try await withThrowingTaskGroup(of: CacheOutcome?.self) { group in
            for _ in 0..<20 {
                group.addTask { try await transport.send(HTTPRequest(url: url)).cacheOutcome }
            }
            try await server.waitForRequest()
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(server.requests.count == 1)
        #expect(outcomes.count { $0 == .miss } == 1)
        #expect(outcomes.count { $0 == .hit } == 19)
    }

    @Test func `Equal requests whose answer may not be stored are all sent`() async throws {
        let server = try LoopbackServer { _ in .text("a", ["Cache-Control": "no-store"]) }
        defer { server.stop() }
        let transport = try transport()
        let url = server.url()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    let response = try await transport.send(HTTPRequest(url: url))
                    #expect(response.cacheOutcome == .miss)
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 5)
    }

    @Test func `A task that is cancelled takes nobody's answer away`() async throws {
        let gate = try Gate()
        let server = try LoopbackServer { request in
            request.number == 1
                ? .hang
                : [.wait(gate), .respond(200, ["Cache-Control": "max-age=60"], body: [2])]
        }
        defer { server.stop() }
        let transport = try transport()
        let url = server.url()
        let first = Task { try await transport.send(HTTPRequest(url: url)) }
        try await server.waitForRequest()
        let second = Task { try await transport.send(HTTPRequest(url: url)) }
        let third = Task { try await transport.send(HTTPRequest(url: url)) }
        third.cancel()
        let cancelled = await third.result
        #expect(throws: NetworkError.self) { try cancelled.get() }
        first.cancel()
        try await server.waitForRequest(2)
        gate.open()
        #expect(try await second.value.body == [2])
        _ = await first.result
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
        let transport = try transport()
        let first = try await transport.send(get(server.url("/old")))
        #expect(first.body == Array("here".utf8))
        #expect(first.url == server.url("/new"))
        #expect(first.redirectCount == 1)
        clock.advance(20)
        let second = try await transport.send(get(server.url("/old")))
        #expect(second.redirectCount == 1)
        #expect(server.requests.map(\.path) == ["/old", "/new", "/new"])
        var once = get(server.url("/old"))
        once.maximumRedirects = 0
        #expect(try await transport.send(once).status == 301)
    }

    @Test func `A loop of redirects ends though it is cached`() async throws {
        let server = try LoopbackServer { _ in
            [.respond(301, ["Location": "/", "Cache-Control": "max-age=1000"], body: [])]
        }
        defer { server.stop() }
        let transport = try transport()
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(get(server.url()))
        }
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.message == "\(server.authority) redirects more than 10 times")
        #expect(server.requests.count == 1)
    }

    @Test func `What one user got, another does not get`() async throws {
        let server = try LoopbackServer { request in
            .text(request["Authorization"] ?? "nobody", ["Cache-Control": "max-age=60"])
        }
        defer { server.stop() }
        let transport = try transport()
        func text(_ fields: HTTPFields) async throws -> String {
            String(
                decoding: try await transport.send(get(server.url(), fields)).body, as: UTF8.self)
        }
        #expect(try await text(["Authorization": "Bearer a"]) == "Bearer a")
        #expect(try await text(["Authorization": "Bearer b"]) == "Bearer b")
        #expect(try await text([:]) == "nobody")
        #expect(try await text(["Authorization": "Bearer a"]) == "Bearer a")
        #expect(server.requests.count == 3)
        var keyed = get(server.url(), ["X-Key": "1"])
        keyed.credentialFields = ["x-key"]
        #expect(try await transport.send(keyed).cacheOutcome == .miss)
        #expect(try await transport.send(keyed).cacheOutcome == .hit)
        keyed.fields["X-Key"] = "2"
        #expect(try await transport.send(keyed).cacheOutcome == .miss)
    }

    @Test func `An answer from before a change is not stored after it`() async throws {
        let gate = try Gate()
        let server = try LoopbackServer { request in
            if request.method == "PUT" { return .status(204) }
            let answer: LoopbackServer.Reply = .text(
                "\(request.number)", ["Cache-Control": "max-age=60"])
            return request.number == 1 ? LoopbackServer.Reply([.wait(gate)] + answer.steps) : answer
        }
        defer { server.stop() }
        let transport = try transport()
        let url = server.url()
        let early = Task { try await transport.send(HTTPRequest(url: url)) }
        try await server.waitForRequest()
        _ = try await transport.send(HTTPRequest(url: url, method: .put, body: [1]))
        gate.open()
        #expect(try await early.value.body == Array("1".utf8))
        let late = try await transport.send(get(url))
        #expect(late.cacheOutcome == .miss)
        #expect(late.body == Array("3".utf8))
    }

    @Test func `A server that is down is stood in for, as long as it allows`() async throws {
        let stub = StubTransport(
            .success(
                HTTPResponse(
                    status: 200, fields: ["Cache-Control": "max-age=1, stale-if-error=100"],
                    body: [1])),
            .failure(NetworkError(.connect, "it is down")))
        let transport = CachingTransport(stub, cache: ResponseCache()) { [clock] in clock.now }
        _ = try await transport.send(get("https://h/"))
        clock.advance(101)
        let old = try await transport.send(get("https://h/"))
        #expect(old.body == [1])
        #expect(old.cacheOutcome == .staleIfError)
        #expect(old.fields["Cache-Status"] == "PollardHTTP; fwd=stale; detail=stale-if-error")
        clock.advance(1)
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(get("https://h/"))
        }
        #expect(error?.message == "it is down")
        let asked = try await transport.send(
            get("https://h/", ["Cache-Control": "stale-if-error=1000"]))
        #expect(asked.cacheOutcome == .staleIfError)
        #expect(stub.requests.count == 4)
    }

    @Test func `An answer only from the cache is 504 without one`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=1"])
        }
        let transport = CachingTransport(stub, cache: ResponseCache()) { [clock] in clock.now }
        let offline = get("https://h/", ["Cache-Control": "only-if-cached"])
        let refused = try await transport.send(offline)
        #expect(refused.status == 504)
        #expect(refused.cacheOutcome == .refused)
        #expect(stub.requests.isEmpty)
        _ = try await transport.send(get("https://h/"))
        #expect(try await transport.send(offline).status == 200)
        clock.advance(2)
        #expect(try await transport.send(offline).status == 504)
        let stale = get("https://h/", ["Cache-Control": "only-if-cached, max-stale"])
        #expect(try await transport.send(stale).status == 200)
        #expect(stub.requests.count == 1)
    }

    @Test func `What is removed is asked for again`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=100"])
        }
        let cache = ResponseCache()
        let transport = CachingTransport(stub, cache: cache) { [clock] in clock.now }
        for path in ["a", "b"] { _ = try await transport.send(get("https://h/\(path)")) }
        try await cache.remove(url: "https://H/a#x")
        #expect(try await transport.send(get("https://h/a")).cacheOutcome == .miss)
        #expect(try await transport.send(get("https://h/b")).cacheOutcome == .hit)
        try await cache.removeAll()
        #expect(await cache.statistics.entries == 0)
        #expect(try await transport.send(get("https://h/b")).cacheOutcome == .miss)
    }

    @Test func `HEAD is answered by what GET has stored`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=100"], body: [1, 2])
        }
        let transport = CachingTransport(stub, cache: ResponseCache()) { [clock] in clock.now }
        _ = try await transport.send(get("https://h/"))
        let head = try await transport.send(HTTPRequest(url: "https://h/", method: .head))
        #expect(head.cacheOutcome == .hit)
        #expect(head.body.isEmpty)
        #expect(stub.requests.count == 1)
    }

    @Test func `A range or a validator of the caller goes past the cache`() async throws {
        let stub = StubTransport { request in
            request.fields["Range"] != nil
                ? HTTPResponse(status: 206, fields: ["Cache-Control": "max-age=999"], body: [1])
                : HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=999"], body: [1, 2])
        }
        let transport = CachingTransport(stub, cache: ResponseCache()) { [clock] in clock.now }
        _ = try await transport.send(get("https://h/"))
        let part = try await transport.send(get("https://h/", ["Range": "bytes=0-0"]))
        #expect(part.status == 206)
        #expect(part.fields["Cache-Status"] == "PollardHTTP; fwd=bypass")
        _ = try await transport.send(get("https://h/", ["If-None-Match": "\"x\""]))
        #expect(stub.requests.count == 3)
        #expect(try await transport.send(get("https://h/")).body == [1, 2])
    }

    @Test func `A failure in the background is kept for whoever asks`() async throws {
        let stub = StubTransport(
            .success(
                HTTPResponse(
                    status: 200, fields: ["Cache-Control": "max-age=1, stale-while-revalidate=60"])),
            .failure(NetworkError(.connect, "it is down")))
        let cache = ResponseCache()
        let transport = CachingTransport(stub, cache: cache) { [clock] in clock.now }
        _ = try await transport.send(get("https://h/"))
        clock.advance(10)
        #expect(
            try await transport.send(get("https://h/")).cacheOutcome == .staleWhileRevalidate)
        try await waitUntil("the error") { await cache.statistics.lastError != nil }
        #expect(await cache.statistics.lastError?.message == "it is down")
    }

    // MARK: - What goes past the cache

    @Test func `A stream is neither stored nor answered from the cache`() async throws {
        let server = try LoopbackServer { _ in .text("abc", ["Cache-Control": "max-age=60"]) }
        defer { server.stop() }
        let transport = try transport()
        _ = try await transport.send(get(server.url()))
        for _ in 0..<2 {
            var bytes: [UInt8] = []
            for try await piece in try await transport.stream(get(server.url())) { bytes += piece }
            #expect(bytes == Array("abc".utf8))
        }
        #expect(server.requests.count == 3)
        #expect(try await transport.send(get(server.url())).cacheOutcome == .hit)
        _ = try await transport.stream(HTTPRequest(url: server.url(), method: .delete))
        #expect(try await transport.send(get(server.url())).cacheOutcome == .miss)
    }

    @Test func `Options of a request's own go past the cache`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=60"])
        }
        let transport = CachingTransport(stub, cache: ResponseCache())
        var request = get("https://h/")
        request.connection = ConnectionOptions()
        request.connection?.tls.verification = .insecureNone
        #expect(
            try await transport.send(request).fields["Cache-Status"]
                == "PollardHTTP; fwd=bypass")
        #expect(try await transport.send(get("https://h/")).cacheOutcome == .miss)
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
        #expect(try await transport.send(get("https://a/")).redirectCount == 2)
        #expect(stub.requests.map(\.hasLeftOrigin) == [false, true, true])
    }
}
