// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Requests through real proxies: tinyproxy(8) and microsocks(1).
@Suite(.timeLimit(.minutes(2))) struct CurlTransportProxyTests {
    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    private func request(
        _ url: String, through proxy: String, username: String? = nil, password: String = "",
        authority: String? = nil
    ) throws -> HTTPRequest {
        var request = HTTPRequest(url: url)
        var options = ConnectionOptions()
        options.proxy = try ConnectionOptions.Proxy(proxy, username: username, password: password)
        options.tls.certificateAuthorities = authority
        request.connection = options
        return request
    }

    @Test func `Plain HTTP goes through an HTTP proxy, and its connection is kept`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let proxy = try LoopbackServer { request in .text("for \(request.target)") }
        for path in ["/a?b=c", "/d"] {
            let request = try request(server.url(path), through: proxy.url(""))
            let response = try await transport.send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == "for \(server.url(path))")
            #expect(response.url == server.url(path))
        }
        #expect(proxy.connectionCount == 1)
        #expect(server.connectionCount == 0)
        #expect(proxy.requests[0]["Host"] == server.authority)
        // Others, of the same transport, don't go there.
        #expect(try await transport.send(HTTPRequest(url: server.url())).body == Array("x".utf8))
        #expect(proxy.requests.count == 2)
    }

    @Test(arguments: [nil, "pollard"])
    func `https goes through a tunnel of an HTTP proxy`(_ username: String?) async throws {
        let (authority, nginx) = try await secureServer()
        let proxy = try await ProxyServer(
            .http, credentials: username.map { ($0, "secret") })
        var bodies: [String] = []
        for _ in 0..<3 {
            let request = try request(
                nginx.secureURL("/connection"), through: proxy.url("http"), username: username,
                password: "secret", authority: authority.certificate)
            let response = try await transport.send(request)
            #expect(response.version == "HTTP/2")
            #expect(response.fields["Server"]?.hasPrefix("nginx") == true)
            bodies.append(String(decoding: response.body, as: UTF8.self))
        }
        #expect(bodies.map { $0.suffix(2) } == [" 1", " 2", " 3"])
        try await proxy.waitForLog(of: "CONNECT localhost:\(nginx.securePorts[0])")
        #expect(proxy.count(of: "CONNECT localhost:") == 1)
    }

    @Test func `A tunnel made with one password is not used with another`() async throws {
        let (authority, nginx) = try await secureServer()
        let proxy = try await ProxyServer(.http, credentials: ("pollard", "right"))
        func request(_ password: String) throws -> HTTPRequest {
            try self.request(
                nginx.secureURL("/connection"), through: proxy.url("http"), username: "pollard",
                password: password, authority: authority.certificate)
        }
        #expect(try await transport.send(request("right")).status == 200)
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(request("wrong"))
        }
        #expect(error?.code == .connect)
        #expect(
            error?.description
                == "the proxy 127.0.0.1:\(proxy.port) refuses the user name or the password; "
                + "check both")
        let again = try await transport.send(request("right"))
        #expect(String(decoding: again.body, as: UTF8.self).hasSuffix(" 2"))
    }

    @Test(arguments: [nil, "pollard"])
    func `A SOCKS5 proxy looks up the name`(_ username: String?) async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let proxy = try await ProxyServer(
            .socks5, credentials: username.map { ($0, "secret") })
        for _ in 0..<2 {
            let request = try request(
                "http://localhost:\(server.port)/", through: proxy.url("socks5"),
                username: username, password: "secret")
            #expect(try await transport.send(request).body == Array("x".utf8))
        }
        #expect(server.connectionCount == 1)
        // The proxy was given the name, not the address.
        try await proxy.waitForLog(of: "connected to localhost:\(server.port)")
    }

    @Test func `Credentials that a proxy does not take have their exact message`() async throws {
        let (authority, nginx) = try await secureServer()
        let server = try LoopbackServer(replies: .text("x"))
        let http = try await ProxyServer(.http, credentials: ("pollard", "right"))
        let socks = try await ProxyServer(.socks5, credentials: ("pollard", "right"))
        for (url, proxy, username, port) in [
            (nginx.secureURL("/1k"), http.url("http"), nil, http.port),
            (nginx.secureURL("/1k"), http.url("http"), "pollard", http.port),
            (server.url(), socks.url("socks5h"), nil, socks.port),
            (server.url(), socks.url("socks5h"), "pollard", socks.port),
        ] {
            let request = try request(
                url, through: proxy, username: username, password: "wrong-secret",
                authority: authority.certificate)
            let error = await #expect(throws: NetworkError.self) {
                try await transport.send(request)
            }
            #expect(error?.code == .connect)
            #expect(
                error?.description == "the proxy 127.0.0.1:\(port) "
                    + (username == nil
                        ? "wants a user name and a password; give it both"
                        : "refuses the user name or the password; check both"))
            #expect(error?.curl?.text.contains("secret") == false)
            #expect(!"\(request) \(String(reflecting: request.connection))".contains("secret"))
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `A proxy that makes no connection has its exact message`() async throws {
        let refusing = try RefusingPort()
        let allowed = try freePort()
        let http = try await ProxyServer(.http, allowedPort: allowed)
        let socks = try await ProxyServer(.socks5)
        let hint = "check that it allows this host and port, and that the server runs"
        let server = "127.0.0.1:\(refusing.port)"
        for (url, proxy, message) in [
            (
                "https://\(server)/", http.url("http"),
                "the proxy 127.0.0.1:\(http.port) makes no connection to \(server): "
                    + "it answered 403; \(hint)"
            ),
            (
                "http://\(server)/", socks.url("socks5"),
                "the proxy 127.0.0.1:\(socks.port) makes no connection to \(server): "
                    + "connection refused; \(hint)"
            ),
            (
                "http://\(server)/", "http://\(server)",
                "cannot connect to the proxy \(server): connection refused; "
                    + "check that the server runs and the port is right"
            ),
            (
                "http://\(server)/", "socks5://\(server)",
                "cannot connect to the proxy \(server): connection refused; "
                    + "check that the server runs and the port is right"
            ),
            (
                "http://\(server)/", "http://proxy.invalid:3128",
                "the name of the proxy 'proxy.invalid' has no address; "
                    + "check its spelling and the name server"
            ),
        ] {
            let error = await #expect(throws: NetworkError.self) {
                try await transport.send(request(url, through: proxy))
            }
            #expect(error?.code == (proxy.contains("invalid") ? .nameLookup : .connect))
            #expect(error?.description == message)
        }
        withExtendedLifetime(refusing) {}
    }

    @Test(arguments: [
        (
            "ftp://h:1",
            "a proxy can't be spoken with by 'ftp'; begin its URL with http:// or socks5://"
        ),
        ("http://h", "the proxy's URL needs a host and a port, as in http://host:3128"),
        (
            "http://me:secret@h:1",
            "the proxy's URL holds a user name or password; give them apart from it"
        ),
        (
            "h",
            "the proxy's URL can't be used: the URL has no scheme; "
                + "begin it with https:// or http://"
        ),
    ])
    func `A proxy's URL that can't be used is refused`(_ url: String, _ message: String) {
        let error = #expect(throws: NetworkError.self) { try ConnectionOptions.Proxy(url) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == message)
    }

    @Test func `A proxy and a Unix socket at once are refused`() async throws {
        var request = try request("http://h.example/", through: "http://127.0.0.1:1")
        request.connection?.unixSocket = "/run/a.sock"
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.description
                == "a connection can't use both a Unix socket and a proxy; leave one out")
    }

    private func secureServer() async throws -> (TestAuthority, NginxServer) {
        let authority = try await TestAuthority()
        let certificate = try await authority.certificate("server")
        return (authority, try await NginxServer(secure: [NginxServer.Secure(certificate)]))
    }
}
