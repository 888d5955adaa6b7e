// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Time limits, to the millisecond below and with room for a busy machine above.
///
/// The time is the transport's own: the tasks of a busy test run may wait long for a thread.
@Suite(.serialized) struct CurlTransportTimeoutTests {
    private let transport: CurlTransport
    private static let slack = Duration.seconds(2)

    init() throws { transport = try CurlTransport() }

    /// Sends a request that must time out, and checks when it did.
    private func timeout(
        of request: HTTPRequest, after limit: Duration
    ) async throws -> NetworkError {
        let error = try #require(
            await #expect(throws: NetworkError.self) { try await transport.send(request) })
        let elapsed = error.timing.total
        #expect(error.code == .timeout)
        #expect(elapsed >= limit - .milliseconds(1) && elapsed < limit + Self.slack)
        return error
    }

    @Test(arguments: [50, 333, 1250])
    func `The total limit is kept by the millisecond`(_ milliseconds: Int) async throws {
        let server = try LoopbackServer(replies: .hang)
        var request = HTTPRequest(url: server.url("/?key=secret"))
        request.timeouts.total = .milliseconds(milliseconds)
        let error = try await timeout(of: request, after: .milliseconds(milliseconds))
        #expect(error.timeout == .total)
        let text = milliseconds == 1250 ? "1.25 s" : "\(milliseconds) ms"
        #expect(error.description == "no complete answer from \(server.authority) within \(text)")
    }

    @Test func `A slow content does not outlive the total limit`() async throws {
        let server = try LoopbackServer { _ in
            [
                .head(200, ["Content-Length": "1000"]),
                .drip(Array(repeating: 0x78, count: 1000), gap: .milliseconds(20)),
            ]
        }
        var request = HTTPRequest(url: server.url())
        request.timeouts.total = .milliseconds(300)
        request.timeouts.idle = .milliseconds(200)
        let error = try await timeout(of: request, after: .milliseconds(300))
        #expect(error.timeout == .total)
        #expect(error.response?.status == 200)
    }

    @Test func `The limit for the connection has a message of its own`() async throws {
        let unanswered = try UnansweredPort()
        var request = HTTPRequest(url: "http://127.0.0.1:\(unanswered.port)/")
        request.timeouts.connect = .milliseconds(150)
        let error = try await timeout(of: request, after: .milliseconds(150))
        #expect(error.timeout == .connect)
        #expect(error.description == "no connection to 127.0.0.1:\(unanswered.port) within 150 ms")
    }

    @Test func `A TLS handshake without an answer ends at the limit for the connection`()
        async throws
    {
        let server = try LoopbackServer(greeting: [.hang]) { _ in .hang }
        var request = HTTPRequest(url: "https://\(server.authority)/")
        request.timeouts.connect = .milliseconds(150)
        let error = try await timeout(of: request, after: .milliseconds(150))
        #expect(error.timeout == .connect)
        #expect(error.description == "no connection to \(server.authority) within 150 ms")
    }

    @Test func `A total limit below that of the connection is the one that passed`() async throws {
        let unanswered = try UnansweredPort()
        var request = HTTPRequest(url: "http://127.0.0.1:\(unanswered.port)/")
        request.timeouts.total = .milliseconds(100)
        let error = try await timeout(of: request, after: .milliseconds(100))
        #expect(error.timeout == .total)
    }

    @Test func `The idle limit counts from the last byte, exactly`() async throws {
        let server = try LoopbackServer { _ in
            [
                .head(200, ["Content-Length": "100"]),
                .drip(Array(repeating: 0x78, count: 6), gap: .milliseconds(50)), .hang,
            ]
        }
        var request = HTTPRequest(url: server.url())
        request.timeouts.idle = .milliseconds(200)
        let error = try await timeout(of: request, after: .milliseconds(250 + 200))
        #expect(error.timeout == .idle)
        #expect(error.description == "\(server.authority) sent nothing for 200 ms")
    }

    @Test func `The idle limit counts from the request before the first byte`() async throws {
        let server = try LoopbackServer(replies: .hang)
        var request = HTTPRequest(url: server.url())
        request.timeouts.idle = .milliseconds(120)
        let error = try await timeout(of: request, after: .milliseconds(120))
        #expect(error.timeout == .idle)
    }

    @Test func `A steady drip is not idle`() async throws {
        let server = try LoopbackServer { _ in
            [
                .head(200, ["Content-Length": "30"]),
                .drip(Array(repeating: 0x78, count: 30), gap: .milliseconds(20)),
            ]
        }
        var request = HTTPRequest(url: server.url())
        request.timeouts.idle = .milliseconds(300)
        let response = try await transport.send(request)
        #expect(response.body.count == 30)
    }

    @Test func `A limit that libcurl can't hold is as good as none`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        var request = HTTPRequest(url: server.url())
        request.timeouts.total = .seconds(1 << 40)
        request.timeouts.connect = .seconds(1 << 40)
        request.timeouts.idle = .seconds(1 << 40)
        #expect(try await transport.send(request).status == 200)
    }

    @Test func `A limit of nothing passes at once`() async throws {
        let server = try LoopbackServer(replies: .hang)
        var request = HTTPRequest(url: server.url())
        request.timeouts.total = .zero
        _ = try await timeout(of: request, after: .zero)
    }

    @Test func `Waiting for admission does not count`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumPerOrigin = 1
        let transport = try CurlTransport(configuration: configuration)
        let gate = try Gate()
        let server = try LoopbackServer {
            $0.path == "/first" ? [.wait(gate), .respond(200)] : .text("second")
        }
        async let first = transport.send(HTTPRequest(url: server.url("/first")))
        try await server.waitForRequest(1)
        var request = HTTPRequest(url: server.url("/second"))
        request.timeouts.total = .milliseconds(200)
        async let second = transport.send(request)
        // The first request outlives the limit of the second, which waits for it.
        _ = try await timeoutElsewhere(.milliseconds(400))
        gate.open()
        #expect(try await first.status == 200)
        let response = try await second
        #expect(response.body == Array("second".utf8))
        #expect(response.timing.total < .milliseconds(200))
    }

    /// Lets time pass on a transport of its own: a request that nobody answers.
    private func timeoutElsewhere(_ limit: Duration) async throws -> NetworkError {
        let server = try LoopbackServer(replies: .hang)
        var request = HTTPRequest(url: server.url())
        request.timeouts.total = limit
        return try await timeout(of: request, after: limit)
    }
}
