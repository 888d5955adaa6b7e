// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

@Suite struct PolledValuesTests {
    private let clock = SkippingClock()

    private func client(_ transport: some HTTPTransport) -> NetworkManager {
        NetworkManager(transport: transport, baseURL: "https://h", retry: .never)
    }

    private func polls(_ transport: some HTTPTransport) -> PolledValues<Int> {
        client(transport).values(of: .path("/count"), every: .seconds(10), clock: clock)
    }

    /// The first elements as text: a value, or the code of a failure.
    private func first(_ count: Int, of polls: PolledValues<Int>) async -> [String] {
        var texts: [String] = []
        for await element in polls {
            switch element {
            case .success(let value): texts.append(String(value))
            case .failure(let error): texts.append(error.code.rawValue)
            }
            if texts.count == count { break }
        }
        return texts
    }

    // MARK: - Elements

    @Test func `Only what differs from the element before is told`() async {
        let stub = StubTransport(
            .success(.json("1")), .success(.json("1")), .success(.json("2")),
            .success(.json("2")), .success(.json("1")))
        #expect(await first(3, of: polls(stub)) == ["1", "2", "1"])
        #expect(stub.requests.count == 5)
        #expect(stub.requests.allSatisfy { $0.url == "https://h/count" && $0.method == .get })
    }

    @Test func `A failure is an element once, and the same value is told again after it`() async {
        let refused = Result<HTTPResponse, NetworkError>.failure(NetworkError(.connect, "refused"))
        let stub = StubTransport(
            .success(.json("1")), refused, refused, .success(.json("", status: 500)),
            .success(.json("", status: 503)), .success(.json("x")), .success(.json("1")))
        #expect(
            await first(6, of: polls(stub)) == [
                "1", "connect", "server error", "server error", "decoding", "1",
            ])
        #expect(stub.requests.count == 7)
    }

    // MARK: - Pace

    @Test func `Polls are due at multiples of the interval`() {
        let pace = PollPace(interval: .seconds(10))
        #expect(pace.next(after: .zero, now: .zero) == .seconds(10))
        #expect(pace.next(after: .zero, now: .seconds(9)) == .seconds(10))
        #expect(pace.next(after: .zero, now: .seconds(10)) == .seconds(20))
        #expect(pace.next(after: .seconds(10), now: .seconds(47)) == .seconds(50))
        #expect(pace.next(after: .seconds(20), now: .seconds(3)) == .seconds(30))
        #expect(PollPace(interval: .zero).interval == .milliseconds(1))
    }

    @Test func `Slow answers do not make polls drift`() async {
        let clock = clock
        let stub = StubTransport { request in
            clock.advance(by: .seconds(3))
            return .json(String(describing: clock.now.offset.components.seconds))
        }
        #expect(await first(3, of: polls(stub)) == ["3", "13", "23"])
        #expect(clock.sleeps == [.seconds(7), .seconds(7)])
    }

    @Test func `A slow loop gets the newest value at once, and no poll is made ahead of it`()
        async throws
    {
        let clock = clock
        let stub = StubTransport { _ in
            .json(String(describing: clock.now.offset.components.seconds))
        }
        var iterator = polls(stub).makeAsyncIterator()
        #expect(try await iterator.next()?.get() == 0)
        clock.advance(by: .seconds(35))
        #expect(try await iterator.next()?.get() == 35)
        #expect(clock.sleeps.isEmpty)
        #expect(stub.requests.count == 2)
        #expect(try await iterator.next()?.get() == 40)
        #expect(clock.sleeps == [.seconds(5)])
    }

    // MARK: - Conditional requests

    @Test func `A value with an ETag is asked for again only if it has changed`() async throws {
        let server = try LoopbackServer { request in
            switch request.number {
            case 1: .json("1", ["ETag": "\"a\""])
            case 2: .status(304, ["ETag": "\"a\""])
            case 3: .status(503)
            case 4: .status(304)
            case 5: .json("2")
            default: .json("3", ["ETag": "\"c\""])
            }
        }
        defer { server.stop() }
        let client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(), retry: .never)
        let polls = client.values(of: .path("count"), as: Int.self, every: .zero)
        #expect(await first(5, of: polls) == ["1", "server error", "1", "2", "3"])
        #expect(
            server.requests.map { $0["If-None-Match"] }
                == [nil, "\"a\"", "\"a\"", "\"a\"", "\"a\"", nil])
    }

    @Test func `An endpoint's own condition is sent as it is, and 304 is then a failure`() async {
        let stub = StubTransport(
            .success(.json("1", fields: ["ETag": "\"a\""])),
            .success(HTTPResponse(status: 304)))
        var endpoint = AnyEndpoint(path: "/count")
        endpoint.headers["If-None-Match"] = "\"own\""
        let polls = client(stub).values(
            of: endpoint, as: Int.self, every: .seconds(10), clock: clock)
        #expect(await first(2, of: polls) == ["1", "server error"])
        #expect(stub.requests.map { $0.fields["If-None-Match"] } == ["\"own\"", "\"own\""])
    }

    @Test func `A search that is posted is never conditional`() async {
        let stub = StubTransport(
            .success(.json("1", fields: ["ETag": "\"a\""])), .success(.json("2")))
        var endpoint = AnyEndpoint(path: "/search")
        endpoint.method = .post
        let polls = client(stub).values(
            of: endpoint, as: Int.self, every: .seconds(10), clock: clock)
        #expect(await first(2, of: polls) == ["1", "2"])
        #expect(stub.requests.map { $0.fields["If-None-Match"] } == [nil, nil])
    }

    // MARK: - Ending

    @Test func `Cancelling ends the sequence between two polls`() async throws {
        let stub = StubTransport(.success(.json("1")))
        let polls = client(stub).values(of: .path("/"), as: Int.self, every: .seconds(3600))
        let seen = Watched<[Int]>([])
        let task = Task {
            for await value in polls {
                seen.update { $0.append((try? value.get()) ?? -1) }
            }
        }
        try await seen.wait(for: "the first value") { $0 == [1] }
        task.cancel()
        await task.value
        #expect(seen.value == [1])
        #expect(stub.requests.count == 1)
    }

    @Test func `Cancelling ends the sequence during a poll, without an element`() async throws {
        let server = try LoopbackServer(replies: .hang)
        defer { server.stop() }
        let polls = client(try CurlTransport())
            .values(of: .url(server.url()), as: Int.self, every: .seconds(3600))
        let task = Task {
            var count = 0
            for await _ in polls { count += 1 }
            return count
        }
        try await server.waitForRequest()
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test func `A cancelled task makes no poll`() async {
        let stub = StubTransport(.success(.json("1")))
        let polls = polls(stub)
        let task = Task {
            cancelCurrentTask()
            return await first(1, of: polls)
        }
        #expect(await task.value == [])
        #expect(stub.requests.isEmpty)
    }
}
