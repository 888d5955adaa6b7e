// SPDX-License-Identifier: Apache-2.0
import Glibc
import PollardHTTP
import PollardTestSupport
import Testing

@Suite struct CurlTransportTests {
    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    @Test func `An answer has status, fields, content, version and address`() async throws {
        let server = try LoopbackServer(replies: .json(#"{"price": 12}"#, ["ETag": #""a""#]))
        let response = try await transport.send(HTTPRequest(url: server.url("/items?page=2")))
        #expect(response.status == 200)
        #expect(response.fields.lines.map(\.name) == ["Content-Type", "ETag", "Content-Length"])
        #expect(response.fields["etag"] == #""a""#)
        #expect(response.body == Array(#"{"price": 12}"#.utf8))
        #expect(response.version == "HTTP/1.1")
        #expect(response.url == server.url("/items?page=2"))
        #expect(response.remoteAddress == server.authority)
        #expect(response.redirectCount == 0)
        #expect(response.certificateExpiry == nil)
    }

    @Test func `A request is sent as it is written`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        var request = HTTPRequest(url: server.url("/a%20b?c=d%26"))
        request.fields = ["X-One": "1", "x-two": "2", "X-One": "3", "X-Empty": ""]
        _ = try await transport.send(request)
        let lines = server.requests[0].fields.lines.map { "\($0.name): \($0.value)" }
        #expect(
            lines == [
                "Host: \(server.authority)", "User-Agent: pollard/0.1.0", "Accept: */*",
                "Accept-Encoding: gzip, deflate, br, zstd", "X-One: 1", "x-two: 2", "X-One: 3",
                "X-Empty: ",
            ])
        #expect(server.requests[0].target == "/a%20b?c=d%26")
    }

    @Test func `A field of the request replaces the one that the transport would add`() async throws
    {
        let server = try LoopbackServer(replies: .status(204))
        var request = HTTPRequest(url: server.url())
        request.fields = ["User-Agent": "mine/1", "Accept": "text/html", "Host": "example.org"]
        _ = try await transport.send(request)
        let fields = server.requests[0].fields
        #expect(fields[values: "User-Agent"] == ["mine/1"])
        #expect(fields[values: "Accept"] == ["text/html"])
        #expect(fields[values: "Host"] == ["example.org"])
    }

    @Test(arguments: [
        HTTPMethod.get, .post, .put, .patch, .delete, .options, HTTPMethod(rawValue: "PROPFIND"),
    ])
    func `Every method can have content`(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer(replies: .status(204))
        let body = Array("0123456789".utf8)
        _ = try await transport.send(
            HTTPRequest(
                url: server.url(), method: method, fields: ["Content-Type": "text/plain"],
                body: body))
        let request = server.requests[0]
        #expect(request.method == method.rawValue)
        #expect(request.body == body)
        #expect(request["Content-Length"] == "10")
        #expect(request["Content-Type"] == "text/plain")
        #expect(request["Expect"] == nil)
    }

    @Test(arguments: [
        (HTTPMethod.get, nil), (.head, nil), (.delete, nil), (.options, nil), (.post, "0"),
        (.put, "0"), (.patch, "0"),
    ])
    func `A length is sent without content where the method expects some`(
        _ method: HTTPMethod, _ length: String?
    ) async throws {
        let server = try LoopbackServer(replies: .status(204))
        _ = try await transport.send(HTTPRequest(url: server.url(), method: method))
        let request = server.requests[0]
        #expect(request.method == method.rawValue)
        #expect(request["Content-Length"] == length)
        #expect(request["Content-Type"] == nil)
    }

    @Test func `A handle carries nothing over to the next request`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let methods: [HTTPMethod] = [.post, .get, .head, .delete, .head, .get, .put, .get]
        for method in methods {
            var request = HTTPRequest(url: server.url(), method: method)
            if method == .post { request.fields = ["Authorization": "Bearer secret"] }
            if method == .post || method == .put { request.body = [1, 2, 3] }
            let response = try await transport.send(request)
            #expect(response.body == (method == .head ? [] : Array("x".utf8)))
        }
        #expect(server.requests.map(\.method) == methods.map(\.rawValue))
        #expect(server.requests.map { $0["Authorization"] != nil } == [true] + [false] * 7)
        #expect(server.requests.map(\.body.count) == [3, 0, 0, 0, 0, 0, 3, 0])
        #expect(server.connectionCount == 1)
    }

    @Test func `A connection that is not to be kept is closed, and the next request kept again`()
        async throws
    {
        let server = try LoopbackServer(replies: .text("x"))
        for keeps in [true, true, false, false, true, true] {
            var request = HTTPRequest(url: server.url())
            request.keepsConnection = keeps
            #expect(try await transport.send(request).status == 200)
        }
        // The third request uses the first connection and closes it.
        #expect(server.connectionCount == 3)
    }

    @Test func `HEAD gives the length of the content that GET would have`() async throws {
        let server = try LoopbackServer { _ in [.head(200, ["Content-Length": "99999999999"])] }
        let response = try await transport.send(HTTPRequest(url: server.url(), method: .head))
        #expect(response.fields["Content-Length"] == "99999999999")
        #expect(response.body == [])
    }

    @Test func `A large content is sent and received whole`() async throws {
        let server = try LoopbackServer { [.respond(200, body: $0.body)] }
        let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let response = try await transport.send(
            HTTPRequest(url: server.url(), method: .post, body: body))
        #expect(response.body == body)
    }

    @Test func `An IPv6 address is a host`() async throws {
        let server = try LoopbackServer(on: .ipv6, replies: .text("six"))
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(response.body == Array("six".utf8))
        #expect(response.remoteAddress == server.authority)
    }

    @Test func `Phases that did not happen have no duration`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let first = try await transport.send(HTTPRequest(url: server.url())).timing
        let second = try await transport.send(HTTPRequest(url: server.url())).timing
        #expect(first.nameLookup == nil)
        #expect(first.connect != nil)
        #expect(first.tls == nil)
        #expect(first.firstByte != nil)
        #expect(first.total > .zero)
        #expect(second.connect == nil)
        #expect(second.firstByte != nil)
        #expect(second.total > .zero)
    }

    @Test(arguments: [
        ("ftp://127.0.0.1/", "the URL's scheme is 'ftp'; only http and https can be used"),
        ("file:///etc/passwd", "the URL's scheme is 'file'; only http and https can be used"),
        ("/path", "the URL has no scheme; begin it with https:// or http://"),
        ("", "the URL has no scheme; begin it with https:// or http://"),
        ("http://", "the URL can't be used: no host part in the URL"),
        ("http://a b/", "the URL can't be used: bad hostname"),
        ("http://a/b c", "the URL can't be used: bad path"),
        (
            "http://127.0.0.1:99999/",
            "the URL can't be used: port number was not a decimal number between 0 and 65535"
        ),
        ("http://127.0.0.1/\u{0}", "the URL holds a NUL byte"),
        (
            "http://me:secret@127.0.0.1/",
            "the URL holds a user name or password; send them in the Authorization field"
        ),
    ])
    func `A URL that can't be used is refused`(_ url: String, _ message: String) async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: url))
        }
        #expect(error?.code == .invalidURL)
        #expect(error?.description == message)
    }

    @Test(arguments: [
        (
            HTTPRequest(url: "http://127.0.0.1/", method: HTTPMethod(rawValue: "GET /")),
            "the method 'GET /' is no token"
        ),
        (
            HTTPRequest(url: "http://127.0.0.1/", method: .head, body: []),
            "a HEAD request can't have content"
        ),
        (
            HTTPRequest(url: "http://127.0.0.1/", fields: ["X\r\nA": "1"]),
            #"the field name 'X\r\nA' is no token"#
        ),
        (
            HTTPRequest(url: "http://127.0.0.1/", fields: ["X-Token": "a\r\nHost: secret"]),
            "the field 'X-Token' holds a control character"
        ),
        (
            HTTPRequest(url: "http://127.0.0.1/", fields: ["Content-Length": "3"]),
            "the field 'Content-Length' follows from the content; leave it out"
        ),
        (
            HTTPRequest(url: "http://127.0.0.1/", fields: ["expect": "100-continue"]),
            "the field 'Expect' follows from the content; leave it out"
        ),
        (
            HTTPRequest(url: "http://127.0.0.1/", method: HTTPMethod(rawValue: "CONNECT")),
            "CONNECT asks for a tunnel, which is no request for a URL"
        ),
    ])
    func `A request that would be another one on the wire is refused`(
        _ request: HTTPRequest, _ message: String
    ) async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(request)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == message)
    }

    @Test func `A User-Agent that would be another field is refused`() {
        var configuration = CurlTransport.Configuration()
        configuration.userAgent = "a\r\nX-B: secret"
        let error = #expect(throws: NetworkError.self) {
            try CurlTransport(configuration: configuration)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == "the field 'User-Agent' holds a control character")
    }

    @Test(arguments: ["", " ", " \t "])
    func `A field without a value is sent as one`(_ value: String) async throws {
        let server = try LoopbackServer(replies: .text("x"))
        _ = try await transport.send(
            HTTPRequest(url: server.url(), fields: ["X-Empty": value, "Accept": value]))
        #expect(server.requests[0].fields[values: "X-Empty"] == [""])
        #expect(server.requests[0].fields[values: "Accept"] == [""])
    }

    @Test func `A child process would inherit no connection`() async throws {
        let server = try LoopbackServer(replies: .hang)
        let url = server.url()
        let task = Task { [transport] in try await transport.send(HTTPRequest(url: url)) }
        try await server.waitForRequest()
        // Other tests may have thousands of descriptors open at this moment.
        let highest = Int32(clamping: sysconf(Int32(_SC_OPEN_MAX)))
        let connections = (0..<highest).filter { peerPort(of: $0) == server.port }
        #expect(!connections.isEmpty)
        #expect(connections.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        task.cancel()
    }

    @Test func `A proxy of the environment is not used`() async throws {
        let proxy = try LoopbackServer(replies: .text("proxy"))
        let server = try LoopbackServer(replies: .text("server"))
        // Children of other tests inherit it: libcurl reads this variable, Python's urllib does not.
        try await withEnvironment("all_proxy", proxy.url()) {
            let response = try await transport.send(HTTPRequest(url: server.url()))
            #expect(response.body == Array("server".utf8))
        }
        #expect(proxy.connectionCount == 0)
    }
}

/// The port that a socket is connected to; nil if it is none.
private func peerPort(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe getpeername(descriptor, $0, &length)
        }
    }
    return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
}

/// Values repeated.
private func * (values: [Bool], count: Int) -> [Bool] {
    Array(repeating: values, count: count).flatMap(\.self)
}
