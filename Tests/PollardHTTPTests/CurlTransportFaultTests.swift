// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Servers that break the rules: each fault has its exact message, and leaves the transport well.
@Suite struct CurlTransportFaultTests {
    private typealias Reply = LoopbackServer.Reply

    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    /// One way to answer badly, and what becomes of it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: LoopbackServer.Reply
        let code: NetworkError.Code
        /// Without the server's address, which is put before it.
        let message: String
        var curl: Int?

        init(
            _ name: String, _ reply: LoopbackServer.Reply, _ code: NetworkError.Code,
            _ message: String, curl: Int?
        ) {
            testDescription = name
            self.reply = reply
            self.code = code
            self.message = message
            self.curl = curl
        }
    }

    static let faults = [
        Fault(
            "closed at once", .close, .connectionLost,
            "SERVER closed the connection without an answer", curl: 52),
        Fault(
            "reset", .reset, .connectionLost, "the connection to SERVER broke while receiving",
            curl: 56),
        Fault(
            "cut content", .cut("12345", announced: 10), .invalidResponse,
            "SERVER closed the connection before the content was complete", curl: 18),
        Fault(
            "cut chunk", [.head(200, ["Transfer-Encoding": "chunked"]), .text("a\r\n12"), .close],
            .invalidResponse, "SERVER closed the connection before the content was complete",
            curl: 18),
        Fault(
            "no last chunk", [.head(200, ["Transfer-Encoding": "chunked"]), .chunk("12"), .close],
            .invalidResponse, "SERVER closed the connection before the content was complete",
            curl: 18),
        Fault(
            "bad chunk size", [.head(200, ["Transfer-Encoding": "chunked"]), .text("zz\r\n")],
            .invalidResponse, "SERVER sent malformed chunked content", curl: 56),
        Fault(
            "not HTTP", [.text("SSH-2.0-OpenSSH_9.2p1\r\n"), .close], .invalidResponse,
            "SERVER sent something that is not HTTP", curl: 1),
        Fault(
            "bad gzip",
            [.respond(200, ["Content-Encoding": "gzip"], body: Array("plain text".utf8))],
            .invalidResponse, "SERVER sent content that can't be decompressed", curl: nil),
        Fault(
            "unknown coding",
            [.respond(200, ["Content-Encoding": "snappy"], body: Array("plain text".utf8))],
            .invalidResponse, "SERVER sent content in the unknown coding 'snappy'", curl: nil),
        Fault(
            "large content announced",
            [.head(200, ["Content-Length": "1000001"]), .hang], .bodyTooLarge,
            "SERVER sent more than 1000000 bytes of content; "
                + "raise 'maximumBodyBytes' if that is to be expected", curl: nil),
        Fault(
            "endless content", .endless, .bodyTooLarge,
            "SERVER sent more than 1000000 bytes of content; "
                + "raise 'maximumBodyBytes' if that is to be expected", curl: nil),
        Fault(
            "huge fields",
            [.text("HTTP/1.1 200 OK\r\n"), .endless(Array("X-A: 0123456789\r\n".utf8))],
            .headersTooLarge,
            "SERVER sent more than 256 KiB of fields; "
                + "raise 'maximumHeaderBytes' if that is to be expected", curl: nil),
        Fault(
            "huge field", [.text("HTTP/1.1 200 OK\r\nX-A: "), .endless(Array("0123456789".utf8))],
            .headersTooLarge, "SERVER sent more header fields than are accepted", curl: 27),
        Fault(
            "endless interim answers", [.endless(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8))],
            .headersTooLarge,
            "SERVER sent more than 256 KiB of fields; "
                + "raise 'maximumHeaderBytes' if that is to be expected", curl: nil),
        Fault(
            "bad Content-Length", [.head(200, ["Content-Length": "-1"]), .text("abc"), .close],
            .invalidResponse, "SERVER sent a malformed answer", curl: 8),
        Fault(
            "lengths that differ",
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello")],
            .invalidResponse,
            "SERVER contradicts itself in how long the content is, or gives no number", curl: nil),
        Fault(
            "length with a sign", [.head(200, ["Content-Length": "+5"]), .text("hello")],
            .invalidResponse,
            "SERVER contradicts itself in how long the content is, or gives no number", curl: nil),
        Fault(
            "another protocol",
            [.text("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n")],
            .invalidResponse, "SERVER switches to another protocol, which nobody asked for",
            curl: nil),
        Fault(
            "six codings",
            [
                .respond(
                    200, ["Content-Encoding": "gzip, gzip, gzip, gzip, gzip, gzip"],
                    body: Array("x".utf8))
            ], .invalidResponse, "SERVER sent content in more codings than are accepted, 5",
            curl: 61),
    ]

    @Test(arguments: faults)
    func `A fault has its exact message`(_ fault: Fault) async throws {
        let server = try LoopbackServer { $0.path == "/fault" ? fault.reply : .text("well") }
        var request = HTTPRequest(url: server.url("/fault?key=secret"))
        request.maximumBodyBytes = 1_000_000
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == fault.code)
        #expect(
            error?.description == fault.message.replacing("SERVER", with: server.authority))
        #expect(error?.curl?.code == fault.curl)
        let next = try await transport.send(HTTPRequest(url: server.url("/")))
        #expect(next.body == Array("well".utf8))
    }

    /// One unusual but acceptable answer.
    struct Oddity: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: LoopbackServer.Reply
        let status: Int
        let fields: HTTPFields
        let body: String

        init(
            _ name: String, _ reply: LoopbackServer.Reply, _ status: Int, _ fields: HTTPFields,
            _ body: String
        ) {
            testDescription = name
            self.reply = reply
            self.status = status
            self.fields = fields
            self.body = body
        }
    }

    static let oddities = [
        Oddity(
            "chunked trailer",
            [
                .head(200, ["Transfer-Encoding": "chunked", "Trailer": "X-Sum"]), .chunk("ab"),
                .chunk("cd"), .text("0\r\nX-Sum: 7\r\n\r\n"),
            ], 200, ["Transfer-Encoding": "chunked", "Trailer": "X-Sum"], "abcd"),
        Oddity(
            "no reason phrase", [.text("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok")], 200,
            ["Content-Length": "2"], "ok"),
        Oddity(
            "no space after the colon", [.text("HTTP/1.1 200 OK\r\nContent-Length:2\r\n\r\nok")],
            200, ["Content-Length": "2"], "ok"),
        Oddity(
            "Latin-1 field",
            [
                .text("HTTP/1.1 200 OK\r\nX-Name: caf"), .bytes([0xe9]),
                .text("\r\nContent-Length: 0\r\n\r\n"),
            ], 200, ["X-Name": "café", "Content-Length": "0"], ""),
        Oddity(
            "UTF-8 field", [.head(200, ["X-Name": "café", "Content-Length": "0"])], 200,
            ["X-Name": "café", "Content-Length": "0"], ""),
        Oddity(
            "duplicate fields",
            [.respond(200, ["Set-Cookie": "a=1", "set-cookie": "b=2", "Set-Cookie": "c=3"])], 200,
            ["Set-Cookie": "a=1", "set-cookie": "b=2", "Set-Cookie": "c=3", "Content-Length": "0"],
            ""),
        Oddity(
            "folded field",
            [.text("HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 0\r\n\r\n")],
            200, ["X-A": "one two", "Content-Length": "0"], ""),
        Oddity(
            "interim answers",
            [
                .head(100), .head(103, ["Link": "</a>"]), .respond(200, ["X-A": "1"], body: [0x78]),
            ], 200, ["X-A": "1", "Content-Length": "1"], "x"),
        Oddity("304", [.head(304, ["Content-Length": "99"])], 304, ["Content-Length": "99"], ""),
        Oddity("204", [.head(204)], 204, [:], ""),
        Oddity(
            "401 without credentials", .status(401, ["WWW-Authenticate": "Basic"]), 401,
            ["WWW-Authenticate": "Basic", "Content-Length": "0"], ""),
        Oddity(
            "status 999", .text("odd", status: 999), 999,
            ["Content-Type": "text/plain; charset=utf-8", "Content-Length": "3"], "odd"),
        Oddity(
            "until the connection closes", [.head(200), .text("to the end"), .close], 200, [:],
            "to the end"),
        Oddity(
            "HTTP/1.0", [.text("HTTP/1.0 200 OK\r\n\r\nold"), .close], 200, [:], "old"),
    ]

    @Test(arguments: oddities)
    func `An unusual answer is taken as it is`(_ oddity: Oddity) async throws {
        let server = try LoopbackServer(replies: oddity.reply)
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(response.status == oddity.status)
        #expect(response.fields == oddity.fields)
        #expect(String(decoding: response.body, as: UTF8.self) == oddity.body)
    }

    @Test func `Ten thousand fields are taken in order`() async throws {
        let lines = (0..<10_000).map { LoopbackServer.Fields.Line("X-\($0)", "\($0)") }
        let server = try LoopbackServer { _ in .status(200, LoopbackServer.Fields(lines)) }
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(response.fields.lines.count == 10_001)
        #expect(response.fields["X-9999"] == "9999")
    }

    @Test func `A refused connection says by whom`() async throws {
        let refusing = try RefusingPort()
        defer { withExtendedLifetime(refusing) {} }
        let port = refusing.port
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: "http://127.0.0.1:\(port)/?key=secret"))
        }
        #expect(error?.code == .connect)
        #expect(
            error?.description == "cannot connect to 127.0.0.1:\(port): connection refused; "
                + "check that the server runs and the port is right")
    }

    @Test func `A name without an address says which`() async throws {
        // A label above 63 bytes is no name (RFC 1035, 2.3.4): the resolver asks nobody.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: "http://\(host):8080/?key=secret"))
        }
        #expect(error?.code == .nameLookup)
        #expect(
            error?.description
                == "the name '\(host)' has no address; check its spelling and the name server")
    }

    @Test func `An error has the answer as far as it came`() async throws {
        let server = try LoopbackServer(replies: .cut("12345", announced: 10))
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: server.url()))
        }
        #expect(error?.response?.status == 200)
        #expect(error?.response?.fields["Content-Length"] == "10")
        #expect(error?.timing.firstByte != nil)
        #expect(error?.curl?.text == "transfer closed with 5 bytes remaining to read")
    }
}
