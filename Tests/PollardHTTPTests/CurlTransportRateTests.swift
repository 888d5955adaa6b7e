// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// How fast requests to one server follow each other, and that limits can change.
@Suite(.timeLimit(.minutes(2))) struct CurlTransportRateTests {
    private func transport(_ change: (inout CurlTransport.Limits) -> Void) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        change(&configuration.limits)
        return try CurlTransport(configuration: configuration)
    }

    /// Arrivals at a server, in nanoseconds.
    private final class Arrivals: Sendable {
        let times = Watched<[Int64]>([])
        func note() { times.update { $0.append(MonotonicTime.now) } }

        /// The most arrivals within `window` nanoseconds.
        func most(within window: Int64) -> Int {
            let times = times.value.sorted()
            return times.indices.map { first in
                times[first...].prefix { $0 - times[first] < window }.count
            }.max() ?? 0
        }
    }

    @Test func `No more requests arrive within a time than the rate allows`() async throws {
        let transport = try transport {
            $0.maximumRatePerOrigin = RequestRate(50, per: .seconds(1))
        }
        let arrivals = Arrivals()
        let server = try LoopbackServer { _ in
            arrivals.note()
            return .text("x")
        }
        let start = MonotonicTime.now
        let url = server.url()
        let tasks = (0..<30).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
        for task in tasks { #expect(try await task.value.status == 200) }
        // 29 gaps of 20 ms; what a server sees is blurred by its own threads.
        #expect(MonotonicTime.now - start >= 580_000_000)
        #expect(arrivals.times.value.count == 30)
        #expect(arrivals.most(within: 200_000_000) <= 10 + 6)
    }

    @Test func `A high rate comes in small groups, and is kept`() async throws {
        let transport = try transport {
            $0.maximumRatePerOrigin = RequestRate(1000, per: .seconds(1))
            $0.maximumPerOrigin = 64
        }
        let server = try LoopbackServer(replies: .text("x"))
        let start = MonotonicTime.now
        let url = server.url()
        let tasks = (0..<300).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
        for task in tasks { #expect(try await task.value.status == 200) }
        // 29 spans of 10 ms between 30 groups of ten.
        #expect(MonotonicTime.now - start >= 290_000_000)
    }

    @Test func `The wait for the rate is no part of the time limit`() async throws {
        let transport = try transport {
            $0.maximumRatePerOrigin = RequestRate(2, per: .seconds(1))
        }
        let server = try LoopbackServer(replies: .text("x"))
        var request = HTTPRequest(url: server.url())
        request.timeouts.total = .milliseconds(400)
        request.timeouts.connect = .milliseconds(400)
        let sent = request
        let start = MonotonicTime.now
        let tasks = (0..<4).map { _ in Task { try await transport.send(sent) } }
        for task in tasks { #expect(try await task.value.timing.total < .milliseconds(400)) }
        #expect(MonotonicTime.now - start >= 1_500_000_000)
    }

    @Test func `A request that waits for its rate can be cancelled, and is never sent`()
        async throws
    {
        let transport = try transport {
            $0.maximumRatePerOrigin = RequestRate(1, per: .seconds(3600))
        }
        let server = try LoopbackServer(replies: .text("x"))
        let (url, other) = (server.url(), server.url("/other"))
        #expect(try await transport.send(HTTPRequest(url: url)).status == 200)
        let waiting = Task { try await transport.send(HTTPRequest(url: other)) }
        #expect(await transport.isResponsive())
        waiting.cancel()
        let error = await #expect(throws: NetworkError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        transport.update(CurlTransport.Limits())
        #expect(try await transport.send(HTTPRequest(url: url)).status == 200)
        #expect(server.requests.map(\.path) == ["/", "/"])
    }

    @Test func `At a stop, requests that only waited for their turn were waited for`() async throws
    {
        let transport = try transport {
            $0.maximumRatePerOrigin = RequestRate(1, per: .seconds(3600))
        }
        let gate = try Gate()
        let server = try LoopbackServer { _ in [.wait(gate), .respond(200)] }
        let url = server.url()
        let sent = Task { try await transport.send(HTTPRequest(url: url)) }
        try await server.waitForRequest(1)
        let waiting = (0..<3).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
        #expect(await transport.isResponsive())
        transport.endWaiting()
        for task in waiting {
            let error = await #expect(throws: NetworkError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(error?.message == "the request was cancelled before it was sent")
        }
        let late = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: url))
        }
        #expect(late?.code == .cancelled)
        gate.open()
        #expect(try await sent.value.status == 200)
        #expect(server.requests.count == 1)
    }

    @Test func `Redirects count`() async throws {
        let transport = try transport { $0.maximumRatePerOrigin = RequestRate(4, per: .seconds(1)) }
        let server = try LoopbackServer { request in
            request.number < 4 ? .redirect(to: "/\(request.number)") : .text("end")
        }
        let start = MonotonicTime.now
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(response.redirectCount == 3)
        #expect(MonotonicTime.now - start >= 750_000_000)
    }

    @Test func `Each attempt counts`() async throws {
        let transport = try transport { $0.maximumRatePerOrigin = RequestRate(4, per: .seconds(1)) }
        let server = try LoopbackServer(replies: .status(503), .status(503), .text("x"))
        let client = NetworkManager(
            transport: transport, baseURL: server.url(),
            retry: RetryPolicy(attempts: 3, initial: .milliseconds(1)))
        let start = MonotonicTime.now
        #expect(try await client.response(for: AnyEndpoint(path: "/")).attempts == 3)
        #expect(MonotonicTime.now - start >= 500_000_000)
    }

    @Test func `Each server has a rate of its own, also where a redirect leads to it`()
        async throws
    {
        let transport = try transport {
            $0.maximumRatePerOrigin = RequestRate(1, per: .seconds(3600))
        }
        let target = try LoopbackServer(replies: .text("x"))
        let server = try LoopbackServer(replies: .redirect(to: target.url()))
        let url = server.url()
        #expect(try await transport.send(HTTPRequest(url: url)).redirectCount == 1)
        let third = try LoopbackServer(replies: .text("x"))
        #expect(try await transport.send(HTTPRequest(url: third.url())).status == 200)
        // The redirect was the one request that the target may have.
        let (direct, free) = (target.url("/direct"), try LoopbackServer(replies: .text("x")))
        let waiting = Task { try await transport.send(HTTPRequest(url: direct)) }
        #expect(try await transport.send(HTTPRequest(url: free.url())).status == 200)
        #expect(target.requests.map(\.path) == ["/"])
        waiting.cancel()
        _ = await waiting.result
    }

    @Test func `A raised limit lets those run that wait already`() async throws {
        let transport = try transport { $0.maximumPerOrigin = 1 }
        let gate = try Gate()
        let server = try LoopbackServer { _ in [.wait(gate), .respond(200)] }
        let url = server.url()
        let tasks = (0..<10).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
        try await server.waitForRequest(1)
        #expect(await transport.isResponsive())
        #expect(server.requests.count == 1)
        var limits = CurlTransport.Limits()
        limits.maximumPerOrigin = 4
        transport.update(limits)
        try await server.waitForRequest(4)
        #expect(await transport.isResponsive())
        #expect(server.requests.count == 4)
        gate.open()
        for task in tasks { #expect(try await task.value.status == 200) }
        #expect(server.requests.count == 10)
    }

    @Test func `A new rate holds for those that wait for the old one`() async throws {
        let transport = try transport {
            $0.maximumRatePerOrigin = RequestRate(1, per: .seconds(3600))
        }
        let server = try LoopbackServer(replies: .text("x"))
        let url = server.url()
        let tasks = (0..<3).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
        try await server.waitForRequest(1)
        transport.update(CurlTransport.Limits())
        for task in tasks { #expect(try await task.value.status == 200) }
    }
}
