// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Content that is read while it comes.
@Suite(.timeLimit(.minutes(2))) struct CurlTransportStreamTests {
    private static let mebibyte = [UInt8](repeating: 0x61, count: 1 << 20)

    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    /// A content of this many MiB, which no piece of memory has as a whole.
    private static func large(_ count: Int) -> LoopbackServer.Reply {
        .init(
            [.head(200, ["Content-Length": "\(count << 20)"])]
                + Array(repeating: .bytes(mebibyte), count: count))
    }

    private func request(
        _ server: LoopbackServer, maximum: Int = .max, total: Duration = .seconds(60)
    ) -> HTTPRequest {
        var request = HTTPRequest(url: server.url())
        request.maximumBodyBytes = maximum
        request.timeouts.total = total
        return request
    }

    @Test func `The head is there before the content, and each piece before the next`() async throws
    {
        let gate = try Gate()
        let server = try LoopbackServer { _ in
            [
                .head(200, ["Content-Length": "10", "X-A": "b"]), .text("12345"), .wait(gate),
                .text("67890"),
            ]
        }
        let stream = try await transport.stream(HTTPRequest(url: server.url("/log")))
        #expect(stream.head.status == 200)
        #expect(stream.head.fields["X-A"] == "b")
        #expect(stream.head.url == server.url("/log"))
        #expect(stream.head.remoteAddress == server.authority)
        #expect(stream.head.body == [])
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == Array("12345".utf8))
        gate.open()
        #expect(try await iterator.next() == Array("67890".utf8))
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(try await transport.send(HTTPRequest(url: server.url())).status == 200)
        #expect(server.connectionCount == 1)
    }

    @Test func `A server has to wait while nobody reads, and nothing is lost`() async throws {
        let server = try LoopbackServer(replies: Self.large(100))
        let stream = try await transport.stream(request(server))
        // What the kernel keeps of a connection on loopback comes on top.
        #expect(try await server.waitForStall() < 32 << 20)
        var count = 0
        for try await piece in stream {
            #expect(piece.isAll(0x61))
            #expect(!piece.isEmpty && piece.count <= 512 << 10)
            count += piece.count
        }
        #expect(count == 100 << 20)
        #expect(server.connectionCount == 1)
    }

    @Test func `Other requests go on while a stream is paused`() async throws {
        let server = try LoopbackServer { $0.path == "/x" ? .text("x") : Self.large(50) }
        let stream = try await transport.stream(request(server))
        _ = try await server.waitForStall()
        for _ in 0..<10 {
            #expect(try await transport.send(HTTPRequest(url: server.url("/x"))).status == 200)
        }
        #expect(try await stream.reduce(0) { $0 + $1.count } == 50 << 20)
    }

    @Test func `A redirect is followed before the head is given`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/new" ? .text("new") : .redirect(to: "/new")
        }
        let stream = try await transport.stream(HTTPRequest(url: server.url("/old")))
        #expect(stream.head.status == 200)
        #expect(stream.head.url == server.url("/new"))
        #expect(stream.head.redirectCount == 1)
        #expect(try await stream.reduce([]) { $0 + $1 } == Array("new".utf8))
    }

    @Test(arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 304)])
    func `An answer without content is a stream without pieces`(
        _ method: HTTPMethod, _ status: Int
    ) async throws {
        let server = try LoopbackServer(replies: .status(status))
        let stream = try await transport.stream(HTTPRequest(url: server.url(), method: method))
        #expect(stream.head.status == status)
        #expect(try await stream.reduce([]) { $0 + $1 } == [])
    }

    @Test func `The limit of the content is kept, unless it is lifted`() async throws {
        let announced = try LoopbackServer(replies: Self.large(2))
        let first = await #expect(throws: NetworkError.self) {
            _ = try await transport.stream(request(announced, maximum: 1 << 20))
        }
        let message =
            "\(announced.authority) sent more than 1 MiB of content; "
            + "raise 'maximumBodyBytes' if that is to be expected"
        #expect(first?.code == .bodyTooLarge)
        #expect(first?.description == message)

        let endless = try LoopbackServer(replies: .endless)
        let stream = try await transport.stream(request(endless, maximum: 1 << 20))
        let second = await #expect(throws: NetworkError.self) { for try await _ in stream {} }
        #expect(second?.code == .bodyTooLarge)
        try await endless.waitForDisconnection()

        // The default limit is 16 MiB.
        let default16 = try LoopbackServer(replies: Self.large(17))
        let third = await #expect(throws: NetworkError.self) {
            _ = try await transport.stream(HTTPRequest(url: default16.url()))
        }
        #expect(third?.code == .bodyTooLarge)
    }

    @Test func `A stream that is dropped frees its connection at once`() async throws {
        let server = try LoopbackServer(replies: .endless)
        var stream: HTTPStream? = try await transport.stream(request(server))
        var iterator = stream?.makeAsyncIterator()
        #expect(try await iterator?.next() != nil)
        iterator = nil
        #expect(stream?.head.status == 200)
        stream = nil
        try await server.waitForDisconnection()
    }

    @Test func `A loop that is left frees the connection`() async throws {
        let server = try LoopbackServer(replies: .endless)
        for try await piece in try await transport.stream(request(server)) {
            #expect(!piece.isEmpty)
            break
        }
        try await server.waitForDisconnection()
    }

    @Test(arguments: [true, false])
    func `A cancelled reader ends at once and frees its connection`(
        _ isWaiting: Bool
    ) async throws {
        let server = try LoopbackServer { _ in
            isWaiting
                ? [.head(200, ["Content-Length": "9"]), .text("12345"), .hang] : .endless
        }
        let begun = try Gate()
        let request = request(server)
        let task = Task { [transport] in
            for try await _ in try await transport.stream(request) { begun.open() }
        }
        try await begun.wait()
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.description == "the request was cancelled")
        try await server.waitForDisconnection()
    }

    @Test func `The idle limit counts the server's silence, not the reader's`() async throws {
        let server = try LoopbackServer(replies: Self.large(50))
        var patient = request(server)
        patient.timeouts.idle = .seconds(2)
        let stream = try await transport.stream(patient)
        _ = try await server.waitForStall()
        let stalled = ContinuousClock.now
        try await waitUntil("the limit to be over") { stalled.duration(to: .now) > .seconds(2.5) }
        #expect(try await stream.reduce(0) { $0 + $1.count } == 50 << 20)

        let silent = try LoopbackServer { _ in
            [.head(200, ["Content-Length": "9"]), .text("12345"), .hang]
        }
        var impatient = request(silent)
        impatient.timeouts.idle = .milliseconds(100)
        let limited = impatient
        let error = await #expect(throws: NetworkError.self) {
            let other = try await transport.stream(limited)
            for try await _ in other {}
        }
        #expect(error?.timeout == .idle)
        #expect(error?.description == "\(silent.authority) sent nothing for 100 ms")
    }

    @Test func `The total limit ends a stream`() async throws {
        let server = try LoopbackServer { _ in
            [
                .head(200, ["Content-Length": "1000"]),
                .drip([UInt8](repeating: 1, count: 1000), gap: .milliseconds(20)),
            ]
        }
        let stream = try await transport.stream(request(server, total: .milliseconds(500)))
        let error = await #expect(throws: NetworkError.self) { for try await _ in stream {} }
        #expect(error?.timeout == .total)
        #expect(
            error?.description == "no complete answer from \(server.authority) within 500 ms")
    }

    @Test func `Content that breaks off is an error after what came before it`() async throws {
        for (reply, code) in [
            (LoopbackServer.Reply.cut("12345", announced: 9), NetworkError.Code.invalidResponse),
            ([.head(200, ["Content-Length": "9"]), .text("12345"), .reset], .connectionLost),
        ] {
            let server = try LoopbackServer(replies: reply)
            let stream = try await transport.stream(HTTPRequest(url: server.url()))
            var iterator = stream.makeAsyncIterator()
            var received: [UInt8] = []
            let error = await #expect(throws: NetworkError.self) {
                while let piece = try await iterator.next() { received += piece }
            }
            #expect(error?.code == code)
            #expect(error?.response?.status == 200)
            #expect(received == Array("12345".utf8))
        }
    }

    @Test func `A stream can be read once`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let stream = try await transport.stream(HTTPRequest(url: server.url()))
        for try await _ in stream {}
        let error = await #expect(throws: NetworkError.self) { for try await _ in stream {} }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == "the content of a stream can be read once")
    }

    @Test func `A stream outlives the last reference to its transport`() async throws {
        let server = try LoopbackServer(replies: Self.large(20))
        var own: CurlTransport? = try CurlTransport()
        let stream = try await own?.stream(request(server))
        own = nil
        #expect(try await stream?.reduce(0) { $0 + $1.count } == 20 << 20)
    }

    @Test func `Closing the transport ends its streams`() async throws {
        let server = try LoopbackServer(replies: .endless)
        let stream = try await transport.stream(request(server))
        transport.close()
        let error = await #expect(throws: NetworkError.self) { for try await _ in stream {} }
        #expect(error?.code == .cancelled)
        #expect(error?.description == "the transport is closed")
    }

    @Test func `Streams cancelled at any moment leave nothing behind`() async throws {
        let server = try LoopbackServer(replies: .endless)
        let request = request(server)
        let before = try ProcessResources.now()
        let codes = await withTaskGroup(of: NetworkError.Code?.self) { [transport] group in
            for round in 0..<400 {
                group.addTask {
                    let task = Task {
                        var count = 0
                        for try await piece in try await transport.stream(request) {
                            count += piece.count
                            // Some are dropped, the others cancelled while they read.
                            if round % 3 == 0, count > 1 << 20 { return }
                        }
                    }
                    for _ in 0..<(round % 40) { await Task.yield() }
                    if round % 3 != 0 { task.cancel() }
                    guard case .failure(let error) = await task.result else { return nil }
                    return (error as? NetworkError)?.code
                }
            }
            return await group.reduce(into: Set<NetworkError.Code?>()) { $0.insert($1) }
        }
        #expect(codes == [nil, .cancelled])
        try await server.waitForDisconnection()
        try await waitUntil("descriptors to be as before") {
            try ProcessResources.now().descriptors <= before.descriptors + 8
        }
        let well = try LoopbackServer(replies: .text("well"))
        #expect(try await transport.send(HTTPRequest(url: well.url())).status == 200)
    }

    @Test func `A stub gives its content in one piece`() async throws {
        let stub = StubTransport { _ in .json("{}", status: 201) }
        let transport: any HTTPTransport = stub
        let stream = try await transport.stream(HTTPRequest(url: "http://stub.example/"))
        #expect(stream.head.status == 201)
        #expect(stream.head.body == [])
        #expect(try await stream.reduce([]) { $0 + [$1] } == [Array("{}".utf8)])
    }
}
