// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// Requests that wait for their server: their order, their end, and what is on the disk.
@Suite struct DeferredRequestsTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path(of: "outbox") }

    init() throws { directory = try TemporaryDirectory() }

    private func post(_ text: String) -> HTTPRequest {
        HTTPRequest(url: "https://h/notes", method: .post, body: Array(text.utf8))
    }

    private func text(_ request: HTTPRequest) -> String {
        String(decoding: request.body ?? [], as: UTF8.self)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lock" }.sorted()
    }

    private func down() -> StubTransport {
        StubTransport(.failure(NetworkError(.connect, "cannot connect to h:443: refused")))
    }

    private func up(_ status: Int = 201) -> StubTransport {
        StubTransport(.success(HTTPResponse(status: status)))
    }

    // MARK: - Sending

    @Test(arguments: [201, 404, 503])
    func `A request that is answered is not kept, whatever the answer`(status: Int) async throws {
        let queue = try DeferredRequests(directory: path)
        guard case .answered(let response) = try await queue.send(post("a"), using: up(status))
        else {
            Issue.record("it was deferred")
            return
        }
        #expect(response.status == status)
        #expect(await queue.pending.isEmpty)
        #expect(try files().isEmpty)
    }

    @Test func `A request without an answer is kept, and those after it behind it`() async throws {
        let queue = try DeferredRequests(directory: path) { 1_800_000_000 }
        let down = down()
        for name in ["a", "b", "c"] {
            guard case .deferred = try await queue.send(post(name), using: down) else {
                Issue.record("\(name) was not deferred")
                return
            }
        }
        // The others were not tried: they would overtake the first.
        #expect(down.requests.map(text) == ["a"])
        let pending = await queue.pending
        #expect(pending.map(\.attempts) == [1, 0, 0])
        #expect(pending[0].lastCause == "cannot connect to h:443: refused")
        #expect(pending[0].deferredAt == 1_800_000_000)
        let up = up()
        let replay = try await queue.replay(using: up)
        #expect(replay.delivered == 3)
        #expect(replay.end == .complete)
        #expect(up.requests.map(text) == ["a", "b", "c"])
        #expect(try files().isEmpty)
    }

    @Test func `A failed replay keeps its request, with count and cause`() async throws {
        let queue = try DeferredRequests(directory: path)
        for name in ["a", "b"] { try await queue.append(post(name)) }
        let stub = StubTransport(
            .failure(NetworkError(.timeout, "no answer")),
            .success(HTTPResponse(status: 503, fields: ["Retry-After": "7"])))
        #expect(try await queue.replay(using: stub).end == .postponed)
        let second = try await queue.replay(using: stub)
        #expect(second.end == .postponed)
        #expect(second.retryAfter == .seconds(7))
        #expect(stub.requests.map(text) == ["a", "a"])
        let first = try #require(await queue.pending.first)
        #expect(first.attempts == 2)
        #expect(first.serverErrors == 1)
        #expect(first.lastCause == "the server answered 503")
        #expect(await queue.pending.count == 2)
    }

    @Test func `A refusal for good goes to the failed ones and holds up nobody`() async throws {
        let queue = try DeferredRequests(directory: path)
        for name in ["a", "b", "c"] { try await queue.append(post(name)) }
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
        #expect(try await queue.replay(using: up()).delivered == 1)

        try await queue.append(post("b"))
        try await queue.replay(using: stub)
        let again = try #require(await queue.failed.first)
        try await queue.drop(again.id)
        #expect(await queue.failed.isEmpty)
        #expect(try files().isEmpty)
    }

    @Test func `A server that is broken for one request holds up the others for a while`()
        async throws
    {
        var limits = DeferredRequests.Limits()
        limits.maximumServerErrors = 3
        let queue = try DeferredRequests(directory: path, limits: limits)
        for name in ["a", "b"] { try await queue.append(post(name)) }
        let stub = StubTransport { request in
            HTTPResponse(status: request.body == Array("a".utf8) ? 500 : 200)
        }
        #expect(try await queue.replay(using: stub).end == .postponed)
        #expect(try await queue.replay(using: stub).end == .postponed)
        let last = try await queue.replay(using: stub)
        #expect(last == DeferredRequests.Replay(delivered: 1, failed: 1))
        #expect(await queue.failed.map(\.attempts) == [3])
    }

    @Test(arguments: [
        (NetworkError.Code.nameLookup, true), (.connect, true), (.timeout, true),
        (.connectionLost, true), (.tls, true), (.invalidRequest, false), (.invalidURL, false),
        (.bodyTooLarge, false), (.cancelled, false),
    ])
    func `Only what had no answer counts as offline`(
        code: NetworkError.Code, isOffline: Bool
    ) async throws {
        let queue = try DeferredRequests(directory: path)
        let stub = StubTransport(.failure(NetworkError(code, "it failed")))
        if isOffline {
            _ = try await queue.send(post("a"), using: stub)
        } else {
            await #expect(throws: NetworkError.self) {
                try await queue.send(post("a"), using: stub)
            }
        }
        #expect(await queue.pending.count == (isOffline ? 1 : 0))
    }

    @Test func `A replay that is cancelled changes nothing`() async throws {
        let queue = try DeferredRequests(directory: path)
        try await queue.append(post("a"))
        let stub = StubTransport(.failure(NetworkError(.cancelled, "it was cancelled")))
        let error = await #expect(throws: NetworkError.self) {
            try await queue.replay(using: stub)
        }
        #expect(error?.code == .cancelled)
        #expect(await queue.pending.map(\.attempts) == [0])
        #expect(try await queue.replay(using: up()).delivered == 1)
    }

    // MARK: - What is kept

    @Test func `Credentials are not on the disk, and a repeat has the same key`() async throws {
        let queue = try DeferredRequests(directory: path)
        var request = post("a")
        request.fields = ["Authorization": "Bearer s3cret", "Cookie": "s3cret", "X-Key": "s3cret"]
        request.credentialFields = ["x-key"]
        let down = down()
        _ = try await queue.send(request, using: down)
        let file = try #require(try files().first)
        let bytes = String(decoding: try directory.read("outbox/\(file)"), as: UTF8.self)
        #expect(!bytes.contains("s3cret"))
        let up = up()
        try await queue.replay(using: up)
        // The first attempt had them.
        #expect(down.requests[0].fields["Authorization"] == "Bearer s3cret")
        #expect(up.requests[0].fields["Authorization"] == nil)
        let key = try #require(up.requests[0].fields["Idempotency-Key"])
        #expect(key == down.requests[0].fields["Idempotency-Key"])
        #expect(key.count == 38 && key.hasPrefix("\"") && key.hasSuffix("\""))
    }

    @Test func `A key of the caller stays, and what changes nothing gets none`() async throws {
        let queue = try DeferredRequests(directory: path)
        var own = post("a")
        own.fields["Idempotency-Key"] = "\"mine\""
        #expect(try await queue.append(own).request.fields["Idempotency-Key"] == "\"mine\"")
        let get = HTTPRequest(url: "https://h/")
        #expect(try await queue.append(get).request.fields["Idempotency-Key"] == nil)
    }

    @Test func `A request that can't be sent is not kept`() async throws {
        let queue = try DeferredRequests(directory: path)
        await #expect(throws: NetworkError.self) {
            try await queue.append(HTTPRequest(url: "ftp://h/"))
        }
        await #expect(throws: NetworkError.self) {
            try await queue.append(HTTPRequest(url: "https://h/", fields: ["a b": "c"]))
        }
        let upload = await #expect(throws: NetworkError.self) {
            var request = HTTPRequest(url: "https://h/", method: .put)
            request.upload = .file("/etc/hostname")
            try await queue.append(request)
        }
        #expect(
            upload?.description
                == "an upload from files can't be deferred, since they may change; send a body")
        #expect(await queue.pending.isEmpty)
    }

    @Test func `A full queue says so and keeps what it has`() async throws {
        var limits = DeferredRequests.Limits()
        limits.maximumCount = 2
        limits.maximumBytes = 2000
        let queue = try DeferredRequests(directory: path, limits: limits)
        let hint = "replay it, drop failed requests, or raise its limits"
        try await queue.append(post("a"))
        let large = await #expect(throws: NetworkError.self) {
            try await queue.append(post(String(repeating: "x", count: 2000)))
        }
        #expect(large?.code == .queueFull)
        #expect(
            large?.description
                == "the queue of deferred requests '\(path)' is full: its requests would take more "
                + "than 2000 bytes; \(hint)")
        try await queue.append(post("b"))
        let third = await #expect(throws: NetworkError.self) {
            try await queue.send(post("c"), using: down())
        }
        #expect(
            third?.description
                == "the queue of deferred requests '\(path)' is full: 2 requests wait; \(hint)")
        #expect(await queue.pending.map { text($0.request) } == ["a", "b"])
    }

    @Test func `Requests outlive the queue object, with their state`() async throws {
        let kept: [DeferredRequest]
        do {
            let queue = try DeferredRequests(directory: path)
            for name in ["a", "b", "c"] { try await queue.append(post(name)) }
            let stub = StubTransport(
                .success(HTTPResponse(status: 404)), .failure(NetworkError(.connect, "it is down")))
            try await queue.replay(using: stub)
            kept = await queue.pending + queue.failed
        }
        let again = try DeferredRequests(directory: path)
        #expect(await again.pending + again.failed == kept)
        #expect(kept.map(\.attempts) == [1, 0, 1])
        #expect(try await again.append(post("d")).id == 4)
    }

    @Test func `A second queue of the same directory is refused`() throws {
        let queue = try DeferredRequests(directory: path)
        defer { withExtendedLifetime(queue) {} }
        let error = #expect(throws: NetworkError.self) { try DeferredRequests(directory: path) }
        #expect(
            error?.description
                == "the queue of deferred requests '\(path)' is in use by another process or "
                + "object; give each a directory of its own")
    }

    @Test func `A damaged file is set aside, and the others are sent`() async throws {
        do {
            let queue = try DeferredRequests(directory: path)
            for name in ["a", "b", "c"] { try await queue.append(post(name)) }
        }
        let second = try files()[1]
        try directory.write(directory.read("outbox/\(second)").dropLast(), to: "outbox/\(second)")
        let queue = try DeferredRequests(directory: path)
        #expect(await queue.damagedFiles == ["\(second).damaged"])
        let up = up()
        try await queue.replay(using: up)
        #expect(up.requests.map(text) == ["a", "c"])
        #expect(try files() == ["\(second).damaged"])
    }

    @Test func `Every event is seen, by every observer`() async throws {
        let queue = try DeferredRequests(directory: path)
        let streams = [await queue.events(), await queue.events()]
        for name in ["a", "b"] { try await queue.append(post(name)) }
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
        var queue: DeferredRequests? = try DeferredRequests(directory: path)
        let stream = try #require(await queue?.events())
        queue = nil
        for await _ in stream { Issue.record("nothing happened") }
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

    @Test func `Requests and replays at once lose nothing and send nothing twice`() async throws {
        let queue = try DeferredRequests(directory: path)
        let stub = up()
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
}
