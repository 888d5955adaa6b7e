// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

/// The tests' own server, so that what fails in a test of the client is the client.
@Suite struct LoopbackServerTests {
    private static let get = "GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Two: 1\r\nx-two:  2\r\n\r\n"

    /// Replies, and what is received last.
    private static let misbehaviour: [(LoopbackServer.Reply, String)] = [
        (.cut("abc", announced: 10), "Content-Length: 10\r\n\r\nabc"),
        (.chunked(["ab", "c"]), "chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"),
        ([.drip(Array("abcde".utf8), size: 2, gap: .milliseconds(1)), .close], "abcde"),
        ([.respond(200, ["Content-Length": "1", "Connection": "close"], body: [97, 98])], "ab"),
        (.close, ""),
    ]

    @Test(arguments: [LoopbackAddress.ipv4, .ipv6])
    func `A reply has its length, and the request is recorded`(
        address: LoopbackAddress
    ) async throws {
        let server = try LoopbackServer(on: address) { _ in .json("[1]", ["ETag": "\"a\""]) }
        defer { server.stop() }
        let client = try RawConnection(to: server.port, on: address)
        try client.send(Self.get)
        #expect(
            try client.receive(until: "[1]")
                == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"a\"\r\n"
                + "Content-Length: 3\r\n\r\n[1]")
        let request = try await server.waitForRequest()
        #expect(request.method == "GET")
        #expect(request.target == "/a?b=c")
        #expect(request.path == "/a")
        #expect(request.version == "HTTP/1.1")
        #expect(request.fields == ["Host": "x", "X-Two": "1", "x-two": "2"])
        #expect(request.fields[values: "X-TWO"] == ["1", "2"])
        #expect(request.body.isEmpty)
    }

    @Test func `One connection serves several requests, and replies come in turn`() throws {
        let server = try LoopbackServer(replies: .status(503), .text("b"), .text("c"))
        defer { server.stop() }
        let client = try RawConnection(to: server.port)
        var answers: [String] = []
        for _ in 1...4 {
            try client.send(Self.get)
            answers.append(String(try client.receive(until: "\r\n\r\n").prefix(12)))
            if answers.count > 1 { _ = try client.receive(count: 1) }
        }
        #expect(answers == ["HTTP/1.1 503"] + Array(repeating: "HTTP/1.1 200", count: 3))
        #expect(server.requests.map(\.number) == [1, 2, 3, 4])
        #expect(server.requests.map(\.connection) == [1, 1, 1, 1])
        #expect(server.connectionCount == 1)
    }

    @Test func `Contents with a length, chunked and expected are read`() throws {
        let server = try LoopbackServer { _ in .status(204) }
        defer { server.stop() }
        let client = try RawConnection(to: server.port)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")
        _ = try client.receive(until: "\r\n\r\n")
        try client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        try client.send("3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nT: v\r\n\r\n")
        _ = try client.receive(until: "\r\n\r\n")
        try client.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
        #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Status\r\n\r\n")
        try client.send("z")
        #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(server.requests.map(\.text) == ["abc", "abc0123456789abcdef", "z"])
    }

    @Test func `HEAD has the length of the content, but not the content`() throws {
        let server = try LoopbackServer { _ in .text("abc", ["Connection": "close"]) }
        defer { server.stop() }
        let client = try RawConnection(to: server.port)
        try client.send("HEAD / HTTP/1.1\r\n\r\n")
        #expect(try client.receiveToEnd().hasSuffix("Content-Length: 3\r\n\r\n"))
    }

    @Test func `A gate holds an answer back, and another says how far it came`() async throws {
        let (held, come) = (try Gate(), try Gate())
        let server = try LoopbackServer { _ in
            [.bytes(Array("one ".utf8)), .open(come), .wait(held), .text("two"), .close]
        }
        defer { server.stop() }
        let client = try RawConnection(to: server.port)
        try client.send(Self.get)
        try await come.wait()
        #expect(try client.receive(count: 4) == "one ")
        held.open()
        #expect(try client.receiveToEnd() == "two")
        try await server.waitForDisconnection()
    }

    @Test(arguments: Self.misbehaviour)
    func `A reply is sent as its steps say`(reply: LoopbackServer.Reply, end: String) throws {
        let server = try LoopbackServer { _ in reply }
        defer { server.stop() }
        let client = try RawConnection(to: server.port)
        try client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(try client.receiveToEnd().hasSuffix(end))
    }

    @Test func `A reset is seen as one, after the request and before`() throws {
        for greeting in [[], LoopbackServer.Reply.reset] {
            let server = try LoopbackServer(greeting: greeting) { _ in .reset }
            defer { server.stop() }
            let client = try RawConnection(to: server.port)
            // The greeting's reset may already be there.
            try? client.send(Self.get)
            #expect(throws: RawConnection.Reset.self) { try client.receiveToEnd() }
        }
    }

    @Test(arguments: ["endless", "hang", "gate"])
    func `Stopping ends a reply that never ends`(kind: String) async throws {
        let gate = try Gate()
        let replies: [String: LoopbackServer.Reply] = [
            "endless": .endless, "hang": .hang, "gate": [.wait(gate)],
        ]
        let reply = try #require(replies[kind])
        let server = try LoopbackServer { _ in reply }
        let client = try RawConnection(to: server.port)
        try client.send(Self.get)
        try await server.waitForRequest()
        server.stop()
        _ = try? client.receiveToEnd()
        #expect(throws: SystemCallError.self) { try RawConnection(to: server.port) }
    }

    @Test(arguments: [LoopbackServer.Reply.endless, .hang])
    func `A client that closes ends its connection`(reply: LoopbackServer.Reply) async throws {
        let server = try LoopbackServer { _ in reply }
        defer { server.stop() }
        let client = try RawConnection(to: server.port)
        try client.send(Self.get)
        try await server.wait(for: "a connection") { $0.openConnectionCount == 1 }
        try await server.waitForRequest()
        client.close()
        try await server.waitForDisconnection()
    }

    @Test func `What is no request is answered with 400`() throws {
        let server = try LoopbackServer { _ in .status(200) }
        defer { server.stop() }
        let client = try RawConnection(to: server.port)
        try client.send("nonsense\r\n\r\n")
        #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(server.requests.isEmpty)
    }

    @Test func `Nothing answers at an unanswered port, and a free port refuses`() throws {
        let port = try UnansweredPort()
        #expect(throws: RawConnection.ConnectTimeout.self) {
            try RawConnection(to: port.port, timeoutMilliseconds: 50)
        }
        #expect(throws: SystemCallError.self) { try RawConnection(to: try freePort()) }
    }
}
