// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

@Suite struct CurlTransportRedirectTests {
    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    /// A request with every kind of credential.
    private func credentialedRequest(_ url: String) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        request.fields = [
            "Authorization": "Bearer secret", "Proxy-Authorization": "Basic secret",
            "Cookie": "session=secret", "X-Api-Key": "secret", "X-Mine": "secret",
            "X-Other": "public",
        ]
        request.credentialFields = ["x-mine"]
        return request
    }

    private static let credentials = [
        "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Mine",
    ]

    @Test func `Credentials stay with their origin and everything goes on within it`() async throws
    {
        let server = try LoopbackServer {
            $0.path == "/a" ? .redirect(to: "b?c=d#e") : .text("there")
        }
        let response = try await transport.send(credentialedRequest(server.url("/a")))
        #expect(response.body == Array("there".utf8))
        #expect(response.redirectCount == 1)
        #expect(response.url == server.url("/b?c=d#e"))
        #expect(server.requests.map(\.target) == ["/a", "/b?c=d"])
        #expect(Self.credentials.allSatisfy { server.requests[1][$0] != nil })
        #expect(server.connectionCount == 1)
    }

    @Test func `Credentials never reach another port, host or scheme`() async throws {
        let other = try LoopbackServer(replies: .text("other"))
        let server = try LoopbackServer { request in
            request.path == "/port"
                ? .redirect(to: other.url("/")) : .redirect(to: "http://localhost:\(other.port)/")
        }
        for path in ["/port", "/host"] {
            _ = try await transport.send(credentialedRequest(server.url(path)))
        }
        #expect(other.requests.count == 2)
        for request in other.requests {
            #expect(Self.credentials.allSatisfy { request[$0] == nil })
            #expect(request["X-Other"] == "public")
        }
    }

    @Test func `Credentials are not sent again after a way through another origin`() async throws {
        let port = Watched<UInt16>(0)
        let other = try LoopbackServer { _ in .redirect(to: "http://127.0.0.1:\(port.value)/end") }
        let server = try LoopbackServer {
            $0.path == "/" ? .redirect(to: other.url("/")) : .text("end")
        }
        port.update { $0 = server.port }
        let response = try await transport.send(credentialedRequest(server.url("/")))
        #expect(response.redirectCount == 2)
        #expect(Self.credentials.allSatisfy { server.requests[1][$0] == nil })
    }

    @Test func `A Location's user name is not used`() async throws {
        let other = try LoopbackServer(replies: .text("other"))
        let server = try LoopbackServer { _ in
            .redirect(to: "http://me:secret@127.0.0.1:\(other.port)/")
        }
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(other.requests[0]["Authorization"] == nil)
        #expect(response.url == other.url("/"))
    }

    @Test func `The caller's Host field is not sent to another origin`() async throws {
        let other = try LoopbackServer(replies: .text("other"))
        let server = try LoopbackServer { _ in .redirect(to: other.url("/")) }
        _ = try await transport.send(HTTPRequest(url: server.url(), fields: ["Host": "a.example"]))
        #expect(server.requests[0]["Host"] == "a.example")
        #expect(other.requests[0].fields[values: "Host"] == [other.authority])
    }

    /// Which method follows which status (RFC 9110, 15.4).
    @Test(arguments: [
        (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "HEAD", "HEAD"), (302, "POST", "GET"),
        (302, "DELETE", "DELETE"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (307, "POST", "POST"), (308, "PATCH", "PATCH"),
    ])
    func `The method after a redirect is that of RFC 9110`(
        _ status: Int, _ before: String, _ after: String
    ) async throws {
        let server = try LoopbackServer {
            $0.path == "/" ? .redirect(to: "/next", status: status) : .text("next")
        }
        var request = HTTPRequest(url: server.url(), method: HTTPMethod(rawValue: before))
        if before != "HEAD" { request.body = Array("content".utf8) }
        request.fields = ["Content-Type": "text/plain", "X-Other": "kept"]
        _ = try await transport.send(request)
        let next = server.requests[1]
        let keepsContent = before == after && before != "HEAD"
        #expect(next.method == after)
        #expect(next.text == (keepsContent ? "content" : ""))
        #expect((next["Content-Type"] != nil) == (before == after))
        #expect(next["X-Other"] == "kept")
    }

    @Test func `No redirects wanted means that the redirect is the answer`() async throws {
        let server = try LoopbackServer(replies: .redirect(to: "/next"))
        var request = HTTPRequest(url: server.url())
        request.maximumRedirects = 0
        let response = try await transport.send(request)
        #expect(response.status == 302)
        #expect(response.fields["Location"] == "/next")
        #expect(response.body == Array("moved\n".utf8))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [300, 304, 305])
    func `Other statuses of class 3 are answers`(_ status: Int) async throws {
        let server = try LoopbackServer { _ in
            [.head(status, ["Location": "/next", "Content-Length": "0"])]
        }
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(response.status == status)
        #expect(server.requests.count == 1)
    }

    @Test func `A redirect to nowhere is an answer`() async throws {
        let server = try LoopbackServer(replies: .status(302, ["Location": ""]))
        let response = try await transport.send(HTTPRequest(url: server.url("/a?b")))
        #expect(response.status == 302)
        #expect(server.requests.count == 1)
    }

    @Test func `A redirect without Location is an answer`() async throws {
        let server = try LoopbackServer(replies: .text("nowhere", status: 302))
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(response.status == 302)
        #expect(response.body == Array("nowhere".utf8))
    }

    @Test func `A loop of redirects ends at the limit`() async throws {
        let server = try LoopbackServer(replies: .redirect(to: "/"))
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: server.url("/?key=secret")))
        }
        #expect(error?.code == .tooManyRedirects)
        #expect(
            error?.description
                == "\(server.authority) redirects more than 10 times; "
                + "look for a loop, or raise 'maximumRedirects'")
        #expect(error?.response?.status == 302)
        #expect(server.requests.count == 11)
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [
        (
            "ftp://127.0.0.1/?key=secret",
            "the URL's scheme is 'ftp'; only http and https can be used"
        ),
        (
            "file:///etc/passwd",
            "the URL's scheme is 'file'; only http and https can be used"
        ),
        ("http://", "the URL can't be used: no host part in the URL"),
    ])
    func `A redirect to what is not HTTP is refused`(
        _ location: String, _ cause: String
    ) async throws {
        let server = try LoopbackServer(replies: .redirect(to: location))
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: server.url()))
        }
        #expect(error?.code == .invalidURL)
        #expect(
            error?.description
                == "\(server.authority) redirects to a URL that can't be followed: \(cause)")
    }

    @Test func `A redirect with spaces and other letters is followed`() async throws {
        let server = try LoopbackServer {
            $0.path == "/" ? .redirect(to: "/a b/\u{e9}?q=x y") : .text("there")
        }
        let response = try await transport.send(HTTPRequest(url: server.url()))
        #expect(server.requests[1].target == "/a%20b/%c3%a9?q=x+y")
        #expect(response.status == 200)
    }

    @Test func `The content of a redirect is neither kept nor waited for`() async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/" else { return .text("there") }
            return [
                .head(302, ["Location": "/next", "Transfer-Encoding": "chunked"]),
                .endless(Array("400\r\n\(String(repeating: "x", count: 0x400))\r\n".utf8)),
            ]
        }
        var request = HTTPRequest(url: server.url())
        request.maximumBodyBytes = 5
        let response = try await transport.send(request)
        #expect(response.body == Array("there".utf8))
        #expect(server.connectionCount == 2)
    }

    @Test func `All redirects share one time limit`() async throws {
        let server = try LoopbackServer { _ in
            [
                .head(302, ["Location": "/", "Content-Length": "2"]),
                .drip([1, 2], gap: .milliseconds(60)),
            ]
        }
        var request = HTTPRequest(url: server.url())
        request.timeouts.total = .milliseconds(300)
        request.maximumRedirects = 1000
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .timeout)
        #expect(error?.timeout == .total)
        #expect(
            error?.description == "no complete answer from \(server.authority) within 300 ms")
        let total = try #require(error?.timing.total)
        #expect(total >= .milliseconds(299) && total < .milliseconds(600))
    }
}
