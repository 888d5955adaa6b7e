// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import PollardTestSupport
import Testing

/// Streams, downloads and uploads by the client: all that a request has, they have.
@Suite(.timeLimit(.minutes(1))) struct ClientStreamTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private struct Counter: TokenProvider {
        let count = Watched(0)

        func freshToken() async throws(NetworkError) -> AccessToken {
            AccessToken("t\(count.update { $0 += 1; return $0 })")
        }
    }

    private struct Tagging: HTTPMiddleware {
        func send(
            _ request: HTTPRequest, by next: Next
        ) async throws(NetworkError) -> HTTPResponse {
            var request = request
            request.fields["X-Tag"] = "1"
            var response = try await next(request)
            response.fields["X-Seen"] = "\(response.body.count)"
            return response
        }
    }

    private func client(_ server: LoopbackServer) throws -> NetworkManager {
        var environment = RetryEnvironment()
        environment.clock = SkippingClock()
        var client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url("/v1"),
            headers: ["X-Api-Key": "k"], environment: environment)
        client.tokenProvider = Counter()
        client.middleware = [Tagging()]
        return client
    }

    private func text(_ stream: HTTPStream) async throws -> String {
        var bytes: [UInt8] = []
        for try await piece in stream { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `A stream has base URL, fields, middleware, a token that is replaced, and retry`()
        async throws
    {
        let gate = try Gate()
        let server = try LoopbackServer { request in
            switch request.number {
            case 1: .text("busy", status: 503)
            case 2: .text("no", status: 401)
            default: [.head(200, ["Content-Length": "6"]), .text("one"), .wait(gate), .text("two")]
            }
        }
        defer { server.stop() }
        let stream = try await client(server).stream(.path("/log", query: [QueryItem("q", 1)]))
        // The head is here, and the rest is not sent yet.
        #expect(
            stream.head.history.map(\.outcome) == [.answered(503), .answered(401), .answered(200)])
        #expect(stream.head.fields["X-Seen"] == "0")
        gate.open()
        #expect(try await text(stream) == "onetwo")
        #expect(server.requests.map(\.target) == Array(repeating: "/v1/log?q=1", count: 3))
        #expect(
            server.requests.map { $0["Authorization"] } == ["Bearer t1", "Bearer t1", "Bearer t2"])
        #expect(server.requests.allSatisfy { $0["X-Tag"] == "1" && $0["X-Api-Key"] == "k" })
    }

    /// A clock whose sleeps last until something has happened.
    private struct WaitingClock: Clock {
        let until: @Sendable () async throws -> Void

        var now: ContinuousClock.Instant { ContinuousClock().now }
        var minimumResolution: Duration { .zero }

        func sleep(
            until deadline: ContinuousClock.Instant, tolerance: Duration?
        ) async throws { try await until() }
    }

    private static func endless(_ status: Int) -> LoopbackServer.Reply {
        let chunk = LoopbackServer.Reply.endless.steps.dropFirst()
        return LoopbackServer.Reply(
            [.head(status, ["Transfer-Encoding": "chunked"])] + chunk)
    }

    @Test func `A stream that another attempt follows kept its connection until then`() async throws
    {
        let server = try LoopbackServer { request in
            request.number == 1 ? Self.endless(503) : .text("here")
        }
        defer { server.stop() }
        var client = try client(server)
        client.environment.clock = WaitingClock { try await server.waitForDisconnection() }
        #expect(try await text(client.stream(.path("/log"))) == "here")
    }

    @Test func `A stream that was refused kept its connection until there was another token`()
        async throws
    {
        struct Provider: TokenProvider {
            let server: LoopbackServer
            let count = Watched(0)

            func freshToken() async throws(NetworkError) -> AccessToken {
                let number = count.update {
                    $0 += 1; return $0
                }
                guard number > 1 else { return AccessToken("t1") }
                do {
                    try await server.waitForDisconnection()
                } catch {
                    throw NetworkError(.timeout, "it is still connected")
                }
                return AccessToken("t2")
            }
        }
        let server = try LoopbackServer { request in
            request["Authorization"] == "Bearer t2" ? .text("here") : Self.endless(401)
        }
        defer { server.stop() }
        var client = try client(server)
        client.tokenProvider = Provider(server: server)
        let fixed = client
        #expect(try await text(fixed.stream(.path("/log"))) == "here")
    }

    @Test func `Once content has come, nothing is sent again`() async throws {
        let gate = try Gate()
        let server = try LoopbackServer { _ in
            [.head(200, ["Content-Length": "6"]), .text("one"), .wait(gate), .reset]
        }
        defer { server.stop() }
        let stream = try await client(server).stream(.path("/log"))
        gate.open()
        let error = await #expect(throws: NetworkError.self) { try await text(stream) }
        #expect(error?.code == .connectionLost)
        #expect(server.requests.count == 1)
    }

    @Test func `A stream that is no success says why, without the client's secrets`() async throws {
        let server = try LoopbackServer(replies: .text("k k2 and t1 are bad", status: 403))
        defer { server.stop() }
        var client = try client(server)
        client.headers = ["X-Api-Key": "k2"]
        let fixed = client
        let error = await #expect(throws: NetworkError.self) {
            try await fixed.stream(.path("/log"))
        }
        #expect(
            error?.description
                == "the server answered 403 Forbidden to GET \(server.url("/v1/log")): "
                + "'k [removed] and [removed] are bad'")
        #expect(error?.response?.body == Array("k k2 and t1 are bad".utf8))
        #expect(try await client.stream(for: .path("/log")).head.status == 403)
    }

    @Test func `A middleware that answers by itself is the stream`() async throws {
        struct Own: HTTPMiddleware {
            func send(
                _ request: HTTPRequest, by next: Next
            ) async throws(NetworkError) -> HTTPResponse { .json("[1]") }
        }
        let stub = StubTransport(.success(.json("[2]")))
        var client = NetworkManager(transport: stub, baseURL: "https://h")
        #expect(try await text(client.stream(.path("/a"))) == "[2]")
        client.middleware = [Own()]
        #expect(try await text(client.stream(.path("/a"))) == "[1]")
        #expect(stub.requests.count == 1)
    }

    @Test func `A download has all that a request has`() async throws {
        let server = try LoopbackServer { request in
            request.number == 1 ? .status(503) : .text("content")
        }
        defer { server.stop() }
        let path = directory.path(of: "file")
        let steps = Watched<[Int64]>([])
        let answer = try await client(server).download(.path("/file"), to: path) { progress in
            steps.update { $0.append(progress.receivedBytes) }
        }
        #expect(answer.attempts == 2)
        #expect(try directory.read("file") == Array("content".utf8))
        #expect(steps.value == [0, 7])
        #expect(server.requests[1]["Authorization"] == "Bearer t1")
    }

    @Test func `A download that is refused makes no file`() async throws {
        let server = try LoopbackServer(replies: .text("no such thing", status: 404))
        defer { server.stop() }
        let path = directory.path(of: "file")
        let error = await #expect(throws: NetworkError.self) {
            try await client(server).download(.path("/file"), to: path)
        }
        #expect(
            error?.description
                == "the server answered 404 Not Found to GET \(server.url("/v1/file")): "
                + "'no such thing'")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `A file is uploaded with a token, and again after a failure`() async throws {
        let server = try LoopbackServer { request in
            request.number == 1 ? .status(503) : .status(201)
        }
        defer { server.stop() }
        let path = try directory.write("content", to: "file")
        try await client(server).put(.path("/file"), body: .file(path, contentType: "text/csv"))
        #expect(server.requests.map(\.text) == ["content", "content"])
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer t1", "Bearer t1"])
        #expect(server.requests[1]["Content-Type"] == "text/csv")
    }
}
