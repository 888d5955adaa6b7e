// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// Who gets an answer that another asked for.
@Suite struct CachingTransportSharingTests {
    private let caching = CachingFixture()

    @Test func `Equal requests at once are one`() async throws {
        let gate = try Gate()
        let server = try LoopbackServer { _ in
            [.wait(gate), .respond(200, ["Cache-Control": "max-age=60"], body: [1])]
        }
        defer { server.stop() }
        let transport = try caching.transport()
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
        let transport = try caching.transport()
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
        let transport = try caching.transport()
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

    @Test func `What one user got, another does not get`() async throws {
        let server = try LoopbackServer { request in
            .text(request["Authorization"] ?? "nobody", ["Cache-Control": "max-age=60"])
        }
        defer { server.stop() }
        let transport = try caching.transport()
        func text(_ fields: HTTPFields) async throws -> String {
            String(
                decoding: try await transport.send(HTTPRequest.get(server.url(), fields)).body,
                as: UTF8.self)
        }
        #expect(try await text(["Authorization": "Bearer a"]) == "Bearer a")
        #expect(try await text(["Authorization": "Bearer b"]) == "Bearer b")
        #expect(try await text([:]) == "nobody")
        #expect(try await text(["Authorization": "Bearer a"]) == "Bearer a")
        #expect(server.requests.count == 3)
        var keyed = HTTPRequest.get(server.url(), ["X-Key": "1"])
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
        let transport = try caching.transport()
        let url = server.url()
        let early = Task { try await transport.send(HTTPRequest(url: url)) }
        try await server.waitForRequest()
        _ = try await transport.send(HTTPRequest(url: url, method: .put, body: [1]))
        gate.open()
        #expect(try await early.value.body == Array("1".utf8))
        let late = try await transport.send(HTTPRequest.get(url))
        #expect(late.cacheOutcome == .miss)
        #expect(late.body == Array("3".utf8))
    }

    @Test(arguments: ["Cookie", "Authorization", "Proxy-Authorization", "X-Api-Key", "X-Mine"])
    func `A cache that users share tells them apart by any credential`(name: String) async throws {
        let stub = StubTransport { request in
            HTTPResponse(
                status: 200, fields: ["Cache-Control": "max-age=60"],
                body: Array((request.fields[name] ?? "nobody").utf8))
        }
        let cache = ResponseCache()
        for _ in 0..<2 {
            for user in ["user=ada", "user=bob", nil] {
                var client = NetworkManager(
                    transport: stub, baseURL: "https://h/", cache: cache)
                if let user { client.headers[name] = user }
                let endpoint = AnyEndpoint(path: "/").with { $0.credentialFields = ["x-mine"] }
                let response = try await client.response(for: endpoint)
                #expect(response.body == Array((user ?? "nobody").utf8))
            }
        }
        #expect(stub.requests.count == 3)
    }

    @Test(arguments: ["Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Auth-User"])
    func `A key that only the client knew for one gave a user the answer of another`(
        name: String
    ) async throws {
        let stub = StubTransport { request in
            HTTPResponse(
                status: 200, fields: ["Cache-Control": "max-age=60"],
                body: Array((request.fields[name] ?? "nobody").utf8))
        }
        let transport = caching.transport(stub)
        for user in ["ada", "bob"] {
            let request = HTTPRequest.get("https://h/", [name: user])
            #expect(try await transport.send(request).body == Array(user.utf8))
            #expect(try await transport.send(request).cacheOutcome == .hit)
        }
    }

    @Test func `Credentials count all together, and not by the order of their names`() async throws
    {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=60", "Vary": "Cookie"])
        }
        let transport = caching.transport(stub)
        func outcome(_ fields: HTTPFields) async throws -> CacheOutcome? {
            try await transport.send(.get("https://h/", fields)).cacheOutcome
        }
        #expect(try await outcome(["Cookie": "a", "Authorization": "b"]) == .miss)
        #expect(try await outcome(["authorization": "b", "cookie": "a"]) == .hit)
        #expect(try await outcome(["Cookie": "a"]) == .miss)
        #expect(try await outcome(["Authorization": "b"]) == .miss)
        #expect(try await outcome(["Cookie": "b", "Authorization": "a"]) == .miss)
        #expect(try await outcome([:]) == .miss)
        #expect(try await outcome(["Cookie": "a", "Authorization": "b"]) == .hit)
    }
}
