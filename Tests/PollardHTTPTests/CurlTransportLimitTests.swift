// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// How many requests run at once, and that those that wait are served.
@Suite(.timeLimit(.minutes(2))) struct CurlTransportLimitTests {

    @Test func `No more requests run at once than an origin may have`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumPerOrigin = 3
        let transport = try CurlTransport(configuration: configuration)
        let gate = try Gate()
        let server = try LoopbackServer { _ in [.wait(gate), .respond(200)] }
        let other = try LoopbackServer(replies: .text("other"))
        let url = server.url()
        let tasks = (0..<20).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
        try await server.waitForRequest(3)
        // One that waits for nobody passes all that wait for the first server.
        #expect(try await transport.send(HTTPRequest(url: other.url())).status == 200)
        #expect(server.requests.count == 3)
        gate.open()
        for task in tasks { #expect(try await task.value.status == 200) }
        #expect(server.requests.count == 20)
        #expect(server.connectionCount == 3)
    }

    @Test func `No more requests run at once than the transport may have`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumConcurrentRequests = 2
        let transport = try CurlTransport(configuration: configuration)
        let gate = try Gate()
        let servers = try (0..<4).map { _ in
            try LoopbackServer { _ in [.wait(gate), .respond(200)] }
        }
        let tasks = servers.map { server in
            let url = server.url()
            return Task { try await transport.send(HTTPRequest(url: url)) }
        }
        try await waitUntil("two requests") { servers.count { !$0.requests.isEmpty } == 2 }
        #expect(await transport.isResponsive())
        #expect(servers.count { !$0.requests.isEmpty } == 2)
        gate.open()
        for task in tasks { #expect(try await task.value.status == 200) }
    }

    @Test func `A redirect to another origin waits for its turn there`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumPerOrigin = 1
        let transport = try CurlTransport(configuration: configuration)
        let gate = try Gate()
        let target = try LoopbackServer {
            $0.path == "/first" ? [.wait(gate), .respond(200)] : .text("second")
        }
        let server = try LoopbackServer { _ in .redirect(to: target.url("/second")) }
        let (first, second) = (target.url("/first"), server.url())
        async let one = transport.send(HTTPRequest(url: first))
        try await target.waitForRequest(1)
        async let two = transport.send(HTTPRequest(url: second))
        try await server.waitForRequest(1)
        #expect(await transport.isResponsive())
        #expect(target.requests.count == 1)
        gate.open()
        #expect(try await one.status == 200)
        #expect(try await two.redirectCount == 1)
    }

    @Test func `Dead kept connections are replaced without an error`() async throws {
        let transport = try CurlTransport()
        let server = try LoopbackServer { request in
            request.number <= 6 ? [.respond(200, body: [0x78]), .close] : .text("x")
        }
        for _ in 0..<20 {
            #expect(try await transport.send(HTTPRequest(url: server.url())).status == 200)
        }
        #expect(server.requests.count == 20)
    }
}
