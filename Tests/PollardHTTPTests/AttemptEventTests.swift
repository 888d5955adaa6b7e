// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// What a client tells of its attempts while they happen, over real connections.
@Suite(.timeLimit(.minutes(2))) struct AttemptEventTests {
    private let events = Watched<[AttemptEvent]>([])

    private func client(
        _ server: LoopbackServer, attempts: Int = 4, _ transport: (any HTTPTransport)? = nil
    ) throws -> NetworkManager {
        var client = NetworkManager(
            transport: try transport ?? CurlTransport(), baseURL: server.url(""),
            retry: RetryPolicy(attempts: attempts, initial: .milliseconds(1)))
        client.onAttempt = { [events] event in events.update { $0.append(event) } }
        return client
    }

    /// An event as one line, without times.
    private func line(_ event: AttemptEvent) -> String {
        switch event.stage {
        case .started: "\(event.number) started"
        case .ended(.success(let response), let delay):
            "\(event.number) \(response.status), \(delay == nil ? "stands" : "again")"
        case .ended(.failure(let error), let delay):
            "\(event.number) \(error.code.rawValue), \(delay == nil ? "stands" : "again")"
        }
    }

    @Test func `Each attempt at a server that misbehaves is told as it starts and ends`()
        async throws
    {
        let server = try LoopbackServer(
            replies: .status(503, ["Retry-After": "0", "Connection": "close"]), .reset,
            .close, .text("whole"))
        let response = try await client(server).response(for: .path("/a"))
        #expect(response.status == 200)
        #expect(
            events.value.map(line) == [
                "1 started", "1 503, again", "2 started", "2 connection lost, again",
                "3 started", "3 connection lost, again", "4 started", "4 200, stands",
            ])
        #expect(Set(events.value.map(\.id)).count == 1)
        #expect(events.value.allSatisfy { $0.request.url == server.url("/a") })
        // The delays that were announced are those that were waited for.
        #expect(
            events.value.compactMap(\.delayBeforeNext) == response.history.dropFirst().map(\.delay))
        #expect(events.value.compactMap(\.error).count == 2)
        #expect(events.value.compactMap(\.response?.status) == [503, 200])
    }

    @Test func `An attempt is told of while it lasts, and what failed before the delay`()
        async throws
    {
        let gate = try Gate()
        let server = try LoopbackServer { request in
            request.number == 1
                ? [.wait(gate), .respond(503, ["Retry-After": "3600"])] : .text("x")
        }
        var client = try client(server)
        client.retry.maximumRetryAfter = .seconds(7200)
        let sent = client
        let task = Task { try await sent.response(for: .path("/")) }
        try await server.waitForRequest(1)
        #expect(events.value.map(line) == ["1 started"])
        gate.open()
        let seen = try await events.wait(for: "the end of the attempt") { $0.count == 2 }
        #expect(seen[1].delayBeforeNext == .seconds(3600))
        #expect(
            seen[1].description.hasPrefix("GET \(server.url("/")): attempt 1 answered 503 after "))
        #expect(seen[1].description.hasSuffix(", the next in 3600 s"))
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(events.value.map(line) == ["1 started", "1 503, again"])
    }

    @Test func `Requests at the same time are told apart`() async throws {
        let server = try LoopbackServer { $0.number % 2 == 1 ? .status(503) : .text("x") }
        let client = try client(server, attempts: 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask { _ = try await client.response(for: .path("/\(number)")) }
            }
            try await group.waitForAll()
        }
        let byID = Dictionary(grouping: events.value, by: \.id)
        #expect(byID.count == 5)
        for events in byID.values {
            #expect(Set(events.map(\.request.url)).count == 1)
            let pairs = (1...(events.count / 2)).flatMap { [$0, $0] }
            #expect(events.map(\.number) == pairs)
            #expect(events.last?.response?.status == 200)
        }
    }

    @Test func `A retry that the budget refuses is not announced`() async throws {
        let server = try LoopbackServer(replies: .status(503))
        var client = try client(server)
        client.retryBudget = RetryBudget(share: 0, reserve: 1)
        #expect(try await client.response(for: .path("/")).status == 503)
        #expect(
            events.value.map(line)
                == ["1 started", "1 503, again", "2 started", "2 503, stands"])
    }

    @Test func `A request with another token goes on counting`() async throws {
        struct Tokens: TokenProvider {
            let count = Watched(0)
            func freshToken() async throws(NetworkError) -> AccessToken {
                count.update { $0 += 1 }
                return AccessToken("secret-\(count.value)")
            }
        }
        let server = try LoopbackServer { request in
            request["Authorization"] == "Bearer secret-2" ? .text("x") : .status(401)
        }
        var client = try client(server)
        client.tokenProvider = Tokens()
        #expect(try await client.response(for: .path("/")).status == 200)
        #expect(
            events.value.map(line)
                == ["1 started", "1 401, stands", "2 started", "2 200, stands"])
        #expect(Set(events.value.map(\.id)).count == 1)
        #expect(events.value.allSatisfy { !"\($0)".contains("secret") })
        var dumped = ""
        dump(events.value, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test func `Nobody at the port is told with the cause`() async throws {
        let refusing = try RefusingPort()
        defer { withExtendedLifetime(refusing) {} }
        var client = NetworkManager(
            transport: try CurlTransport(), baseURL: "http://127.0.0.1:\(refusing.port)",
            retry: .never)
        client.onAttempt = { [events] event in events.update { $0.append(event) } }
        await #expect(throws: NetworkError.self) { try await client.response(for: .path("/a")) }
        let end = try #require(events.value.last)
        #expect(end.error?.code == .connect)
        let start = "GET http://127.0.0.1:\(refusing.port)/a: attempt 1"
        #expect(events.value.first?.description == "\(start) started")
        #expect(end.description.hasPrefix("\(start) failed (connect) after "))
        #expect(
            end.description.hasSuffix(
                ": cannot connect to 127.0.0.1:\(refusing.port): connection refused; "
                    + "check that the server runs and the port is right"))
    }
}
