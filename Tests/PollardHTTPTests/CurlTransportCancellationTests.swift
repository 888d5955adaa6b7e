// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct CurlTransportCancellationTests {
    @Test func `A cancelled request ends at once and frees its connection`() async throws {
        let transport = try CurlTransport()
        let server = try LoopbackServer(replies: .hang)
        let url = server.url()
        let task = Task { try await transport.send(HTTPRequest(url: url)) }
        try await server.waitForRequest()
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.description == "the request was cancelled")
        try await server.waitForDisconnection()
    }

    @Test func `A request of a cancelled task is not sent`() async throws {
        let transport = try CurlTransport()
        let server = try LoopbackServer(replies: .text("x"))
        let url = server.url()
        let gate = try Gate()
        let task = Task {
            try? await gate.wait()
            return try await transport.send(HTTPRequest(url: url))
        }
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test func `A request that waits for admission can be cancelled`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumConcurrentRequests = 1
        let transport = try CurlTransport(configuration: configuration)
        let gate = try Gate()
        let server = try LoopbackServer { _ in [.wait(gate), .respond(200)] }
        let url = server.url()
        let first = Task { try await transport.send(HTTPRequest(url: url)) }
        try await server.waitForRequest()
        let waiting = (0..<100).map { _ in
            Task { try await transport.send(HTTPRequest(url: url)) }
        }
        for task in waiting { task.cancel() }
        for task in waiting {
            let error = await #expect(throws: NetworkError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        gate.open()
        #expect(try await first.value.status == 200)
        #expect(try await transport.send(HTTPRequest(url: url)).status == 200)
        #expect(server.requests.count == 2)
    }

    /// What a request meets while it is cancelled at any moment.
    enum Target: String, CaseIterable, Sendable { case answering, hanging, refusing, redirecting }

    @Test(arguments: Target.allCases)
    func `Cancellation at any moment neither hangs nor loses a request`(
        _ target: Target
    ) async throws {
        let transport = try CurlTransport()
        let server = try LoopbackServer { request in
            switch target {
            case .redirecting: .redirect(to: "/\(request.number)")
            case .hanging: .hang
            case .answering, .refusing: .text("x")
            }
        }
        let refusing = try RefusingPort()
        defer { withExtendedLifetime(refusing) {} }
        let url = target == .refusing ? "http://127.0.0.1:\(refusing.port)/" : server.url()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for round in 0..<400 {
                group.addTask {
                    let task = Task { try await transport.send(HTTPRequest(url: url)) }
                    // Spread over before, during and after: some spins, some yields.
                    for _ in 0..<(round % 40) { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success: return true
                    case .failure(let error):
                        return [.cancelled, .connect, .tooManyRedirects].contains(
                            (error as? NetworkError)?.code)
                    }
                }
            }
            var outcomes: [Bool] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes == Array(repeating: true, count: 400))
        let well = try LoopbackServer(replies: .text("well"))
        #expect(try await transport.send(HTTPRequest(url: well.url())).status == 200)
    }

    @Test func `Closing cancels what is in flight and what waits`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.limits.maximumPerOrigin = 2
        let transport = try CurlTransport(configuration: configuration)
        let server = try LoopbackServer(replies: .hang)
        let url = server.url()
        let tasks = (0..<10).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
        try await server.waitForRequest(2)
        transport.close()
        transport.close()
        for task in tasks {
            let error = await #expect(throws: NetworkError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(error?.description == "the transport is closed")
        }
        try await server.waitForDisconnection()
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: url))
        }
        #expect(error?.description == "the transport is closed")
    }

    @Test func `A transport is responsive until it is closed`() async throws {
        let transport = try CurlTransport()
        #expect(await transport.isResponsive())
        transport.close()
        #expect(await !transport.isResponsive())
    }

    @Test func `A thousand transports made and closed leave nothing behind`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let before = try ProcessResources.now()
        for round in 0..<1000 {
            let transport = try CurlTransport()
            if round % 10 == 0 {
                #expect(try await transport.send(HTTPRequest(url: server.url())).status == 200)
            }
            if round % 2 == 0 { transport.close() }
        }
        try await server.waitForDisconnection()
        try await Self.waitUntilAsBefore(before)
    }

    @Test func `Transports closed while an answer is streamed leave no socket behind`() async throws
    {
        let server = try LoopbackServer(replies: [.head(200, [:]), .endless(Array("x".utf8))])
        let before = try ProcessResources.now()
        for round in 0..<50 {
            let transport = try CurlTransport()
            let stream = try await transport.stream(HTTPRequest(url: server.url()))
            if round % 2 == 0 { transport.close() }
            withExtendedLifetime(stream) {}
        }
        try await server.waitForDisconnection()
        try await Self.waitUntilAsBefore(before)
    }

    private static func waitUntilAsBefore(_ before: ProcessResources) async throws {
        try await waitUntil("threads and descriptors to be as before") {
            let now = try ProcessResources.now()
            return now.threads <= before.threads + 2 && now.descriptors <= before.descriptors + 4
        }
    }
}
