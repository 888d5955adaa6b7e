// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import Synchronization
import Testing

/// The layers that a request goes through, and in which order.
@Suite struct MiddlewareTests {
    /// What happened, in order.
    private final class Log: Sendable {
        private let state = Mutex<[String]>([])
        var lines: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    /// Writes what goes in and comes out, and adds a field.
    private struct Tracing: HTTPMiddleware {
        let name: String
        let log: Log

        func send(
            _ request: HTTPRequest, by next: Next
        ) async throws(NetworkError) -> HTTPResponse {
            log.add("\(name) > \(request.fields["Authorization"] ?? "no token")")
            var request = request
            request.fields.append("X-Trace", name)
            do {
                let response = try await next(request)
                log.add("\(name) < \(response.status), \(response.attempts) attempts")
                return response
            } catch {
                log.add("\(name) < \(error)")
                throw error
            }
        }
    }

    /// Gives one token after another.
    private struct Tokens: TokenProvider {
        let log: Log

        func freshToken() async throws(NetworkError) -> AccessToken {
            log.add("token")
            return AccessToken("t")
        }
    }

    private func client(_ stub: StubTransport, _ middleware: any HTTPMiddleware...)
        -> NetworkManager
    {
        var environment = RetryEnvironment()
        environment.clock = SkippingClock()
        var client = NetworkManager(
            transport: stub, baseURL: "https://h", environment: environment)
        client.middleware = middleware
        return client
    }

    @Test func `The layers are middleware in order, token, retry, transport`() async throws {
        let log = Log()
        let attempts = Mutex(0)
        let stub = StubTransport { request in
            let attempt = attempts.withLock {
                $0 += 1
                return $0
            }
            log.add("send \(request.fields["Authorization"] ?? "no token")")
            #expect(request.fields[values: "X-Trace"] == ["a", "b"])
            return HTTPResponse(status: [503, 401, 503, 200][attempt - 1])
        }
        var client = client(stub, Tracing(name: "a", log: log), Tracing(name: "b", log: log))
        client.tokenProvider = Tokens(log: log)
        let response = try await client.response(for: .path("/p"))
        #expect(response.attempts == 4)
        #expect(
            log.lines == [
                "a > no token", "b > no token", "token", "send Bearer t", "send Bearer t", "token",
                "send Bearer t", "send Bearer t", "b < 200, 4 attempts", "a < 200, 4 attempts",
            ])
    }

    @Test func `A middleware sees failures, of requests made before too`() async throws {
        let log = Log()
        let stub = StubTransport(.failure(NetworkError(.connect, "refused")))
        await #expect(throws: NetworkError.self) {
            try await client(stub, Tracing(name: "a", log: log)).response(
                to: HTTPRequest(url: "https://h/"), retry: .never)
        }
        #expect(log.lines == ["a > no token", "a < refused"])
    }

    @Test func `A middleware may answer by itself, or send again`() async throws {
        struct Answering: HTTPMiddleware {
            func send(
                _ request: HTTPRequest, by next: Next
            ) async throws(NetworkError) -> HTTPResponse {
                if request.url.hasSuffix("/own") { return .json("[0]") }
                _ = try await next(request)
                return try await next(request)
            }
        }
        let stub = StubTransport { _ in .json("[1]") }
        let client = client(stub, Answering())
        #expect(try await client.get(.path("/own"), as: [Int].self) == [0])
        #expect(stub.requests.isEmpty)
        #expect(try await client.get(.path("/p"), as: [Int].self) == [1])
        #expect(stub.requests.count == 2)
    }

    @Test func `A request that a middleware turns to another origin has no token`() async throws {
        struct Turning: HTTPMiddleware {
            func send(
                _ request: HTTPRequest, by next: Next
            ) async throws(NetworkError) -> HTTPResponse {
                var request = request
                request.url = "https://other.example/"
                return try await next(request)
            }
        }
        let stub = StubTransport { _ in HTTPResponse(status: 401) }
        var client = client(stub, Turning())
        client.tokenProvider = Tokens(log: Log())
        _ = try await client.response(for: .path("/p"))
        #expect(stub.requests.map { $0.fields["Authorization"] } == [nil])
    }
}
