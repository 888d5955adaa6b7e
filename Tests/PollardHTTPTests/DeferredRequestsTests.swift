// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// Requests that wait for their server: their order and their end.
@Suite struct DeferredRequestsTests {
    private let outbox: Outbox

    init() throws { outbox = try Outbox() }

    @Test(arguments: [201, 404, 503])
    func `A request that is answered is not kept, whatever the answer`(status: Int) async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        guard
            case .answered(let response) = try await queue.send(
                .note("a"), using: StubTransport.up(status))
        else {
            Issue.record("it was deferred")
            return
        }
        #expect(response.status == status)
        #expect(await queue.pending.isEmpty)
        #expect(try outbox.files().isEmpty)
    }

    @Test func `A request without an answer is kept, and those after it behind it`() async throws {
        let queue = try DeferredRequests(directory: outbox.path) { 1_800_000_000 }
        let down = StubTransport.down()
        for name in ["a", "b", "c"] {
            guard case .deferred = try await queue.send(.note(name), using: down) else {
                Issue.record("\(name) was not deferred")
                return
            }
        }
        // The others were not tried: they would overtake the first.
        #expect(down.requests.map(\.text) == ["a"])
        let pending = await queue.pending
        #expect(pending.map(\.attempts) == [1, 0, 0])
        #expect(pending[0].lastCause == "cannot connect to h:443: refused")
        #expect(pending[0].deferredAt == 1_800_000_000)
        let up = StubTransport.up()
        let replay = try await queue.replay(using: up)
        #expect(replay.delivered == 3)
        #expect(replay.end == .complete)
        #expect(up.requests.map(\.text) == ["a", "b", "c"])
        #expect(try outbox.files().isEmpty)
    }

    @Test func `A failed replay keeps its request, with count and cause`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        for name in ["a", "b"] { try await queue.append(.note(name)) }
        let stub = StubTransport(
            .failure(NetworkError(.timeout, "no answer")),
            .success(HTTPResponse(status: 503, fields: ["Retry-After": "7"])))
        #expect(try await queue.replay(using: stub).end == .postponed)
        let second = try await queue.replay(using: stub)
        #expect(second.end == .postponed)
        #expect(second.retryAfter == .seconds(7))
        #expect(stub.requests.map(\.text) == ["a", "a"])
        let first = try #require(await queue.pending.first)
        #expect(first.attempts == 2)
        #expect(first.serverErrors == 1)
        #expect(first.lastCause == "the server answered 503")
        #expect(await queue.pending.count == 2)
    }

    @Test func `A server that asked to wait for ever stopped the queue, or the program`()
        async throws
    {
        let queue = try DeferredRequests(directory: outbox.path)
        try await queue.append(.note("a"))
        for seconds in ["31536000", "9223372036854775807"] {
            let stub = StubTransport(
                .success(HTTPResponse(status: 503, fields: ["Retry-After": seconds])))
            let replay = try await queue.replay(using: stub)
            #expect(replay.retryAfter == .seconds(86_400))
        }
    }

    @Test func `A refusal for good goes to the failed ones and holds up nobody`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        for name in ["a", "b", "c"] { try await queue.append(.note(name)) }
        let stub = StubTransport { request in
            HTTPResponse(status: request.body == Array("b".utf8) ? 422 : 200)
        }
        let replay = try await queue.replay(using: stub)
        #expect(replay == DeferredRequests.Replay(delivered: 2, failed: 1))
        let failed = try #require(await queue.failed.first)
        #expect(failed.lastCause == "the server answered 422")
        #expect(try await queue.replay(using: stub).failed == 0)

        try await queue.retry(failed.id)
        #expect(await queue.failed.isEmpty)
        #expect(try await queue.replay(using: StubTransport.up()).delivered == 1)

        try await queue.append(.note("b"))
        try await queue.replay(using: stub)
        let again = try #require(await queue.failed.first)
        try await queue.drop(again.id)
        #expect(await queue.failed.isEmpty)
        #expect(try outbox.files().isEmpty)
    }

    @Test func `A server that is broken for one request holds up the others for a while`()
        async throws
    {
        var limits = DeferredRequests.Limits()
        limits.maximumServerErrors = 3
        let queue = try DeferredRequests(directory: outbox.path, limits: limits)
        for name in ["a", "b"] { try await queue.append(.note(name)) }
        let stub = StubTransport { request in
            HTTPResponse(status: request.body == Array("a".utf8) ? 500 : 200)
        }
        #expect(try await queue.replay(using: stub).end == .postponed)
        #expect(try await queue.replay(using: stub).end == .postponed)
        let last = try await queue.replay(using: stub)
        #expect(last == DeferredRequests.Replay(delivered: 1, failed: 1))
        #expect(await queue.failed.map(\.attempts) == [3])
    }

    @Test func `A replay that is cancelled changes nothing`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        try await queue.append(.note("a"))
        let stub = StubTransport(.failure(NetworkError(.cancelled, "it was cancelled")))
        let error = await #expect(throws: NetworkError.self) {
            try await queue.replay(using: stub)
        }
        #expect(error?.code == .cancelled)
        #expect(await queue.pending.map(\.attempts) == [0])
        #expect(try await queue.replay(using: StubTransport.up()).delivered == 1)
    }

    @Test func `A request that is slow to fail keeps its place before one that is quick`()
        async throws
    {
        let queue = try DeferredRequests(directory: outbox.path)
        let transport = SlowFailure()
        let slow = Task { try await queue.send(.note("slow"), using: transport) }
        try await transport.begun.wait(for: "the first request") { $0 }
        _ = try await queue.send(.note("quick"), using: StubTransport.down())
        transport.mayFail.finish()
        _ = try await slow.value
        #expect(await queue.pending.map(\.request.text) == ["slow", "quick"])
        let up = StubTransport.up()
        try await queue.replay(using: up)
        #expect(up.requests.map(\.text) == ["slow", "quick"])
    }

    /// A server that lets a request wait before it fails.
    private struct SlowFailure: HTTPTransport {
        let begun = Watched(false)
        let mayFail: AsyncStream<Void>.Continuation
        private let waiting: AsyncStream<Void>

        init() { (waiting, mayFail) = AsyncStream.makeStream() }

        func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
            begun.update { $0 = true }
            for await _ in waiting {}
            throw NetworkError(.timeout, "no answer")
        }
    }

    @Test func `Every event is seen, by every observer`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        let streams = [await queue.events(), await queue.events()]
        for name in ["a", "b"] { try await queue.append(.note(name)) }
        let stub = StubTransport(
            .failure(NetworkError(.connect, "it is down")), .success(HTTPResponse(status: 400)),
            .success(HTTPResponse(status: 200)))
        try await queue.replay(using: stub)
        try await queue.replay(using: stub)
        try await queue.drop(1)
        for stream in streams {
            var seen: [String] = []
            for await event in stream {
                seen.append(name(of: event))
                if seen.last == "dropped 1" { break }
            }
            #expect(
                seen == [
                    "deferred 1", "deferred 2", "postponed 1", "failed 1", "delivered 2 200",
                    "dropped 1",
                ])
        }
    }

    @Test func `The events end with the queue`() async throws {
        var queue: DeferredRequests? = try DeferredRequests(directory: outbox.path)
        let stream = try #require(await queue?.events())
        queue = nil
        for await _ in stream { Issue.record("nothing happened") }
    }

    @Test func `Requests and replays at once lose nothing and send nothing twice`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        let stub = StubTransport.up()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await queue.append(
                        HTTPRequest(url: "https://h/\(number)", method: .post, body: []))
                    try await queue.replay(using: stub)
                }
            }
            try await group.waitForAll()
        }
        try await queue.replay(using: stub)
        #expect(await queue.pending.isEmpty)
        #expect(stub.requests.count == 50)
        #expect(Set(stub.requests.map(\.url)).count == 50)
    }

    private func name(of event: DeferredEvent) -> String {
        switch event {
        case .deferred(let request): "deferred \(request.id)"
        case .delivered(let request, let response): "delivered \(request.id) \(response.status)"
        case .postponed(let request): "postponed \(request.id)"
        case .failed(let request): "failed \(request.id)"
        case .dropped(let request): "dropped \(request.id)"
        }
    }
}
