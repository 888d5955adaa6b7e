// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// HTTP/2 and nothing else, with TLS and without, at a real server.
@Suite(.timeLimit(.minutes(2))) struct CurlTransportHTTP2Tests {
    private let authority: TestAuthority
    private let nginx: NginxServer
    private let transport: CurlTransport

    /// Ports with TLS of the server.
    private static let http2 = 0
    private static let http1 = 1

    init() async throws {
        authority = try await TestAuthority()
        let certificate = try await authority.certificate("good", days: 20)
        nginx = try await NginxServer(secure: [
            NginxServer.Secure(certificate), NginxServer.Secure(certificate, offersHTTP2: false),
        ])
        var configuration = CurlTransport.Configuration()
        configuration.connection.tls.certificateAuthorities = authority.certificate
        configuration.connection.version = .http2
        configuration.limits.maximumPerOrigin = 32
        transport = try CurlTransport(configuration: configuration)
    }

    private func failure(_ request: HTTPRequest) async -> NetworkError? {
        await #expect(throws: NetworkError.self) { try await transport.send(request) }
    }

    @Test func `A server that agrees over TLS answers by HTTP/2`() async throws {
        let response = try await transport.send(
            HTTPRequest(url: nginx.secureURL("/20k", Self.http2)))
        #expect(response.version == "HTTP/2")
        #expect(response.body == NginxServer.content(20_000))
    }

    @Test func `A server without HTTP/2 over TLS is an error, and no answer`() async throws {
        let url = nginx.secureURL("/1k", Self.http1)
        // The second would find a connection, had the first been kept.
        for _ in 0..<2 {
            let error = await failure(HTTPRequest(url: url))
            #expect(error?.code == .httpVersion)
            #expect(
                error?.description
                    == "localhost:\(nginx.securePorts[Self.http1]) answered by HTTP/1.1, not "
                    + "HTTP/2; let the connection options have other versions, or enable it there")
            #expect(error?.response?.body == [])
        }
        let stream = await #expect(throws: NetworkError.self) {
            try await transport.stream(HTTPRequest(url: url))
        }
        #expect(stream?.code == .httpVersion)
        var request = HTTPRequest(url: nginx.secureURL("/1k", Self.http1))
        request.timeouts.total = .seconds(20)
        let client = NetworkManager(transport: transport)
        let once = await #expect(throws: NetworkError.self) {
            try await client.response(to: request)
        }
        #expect(once?.attempts == 1)
    }

    @Test(arguments: [20, 100])
    func `Requests were lost with a connection that the server closed in good order`(
        _ requestsPerConnection: Int
    ) async throws {
        let nginx = try await NginxServer(
            secure: [NginxServer.Secure(try await authority.certificate("short", days: 20))],
            requestsPerConnection: requestsPerConnection)
        let (transport, url) = (transport, nginx.secureURL("/1k"))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await transport.send(HTTPRequest(url: url)).status }
            }
            for try await status in group { #expect(status == 200) }
        }
    }

    @Test func `Without TLS the server has to know HTTP/2`() async throws {
        let whole = try await transport.send(HTTPRequest(url: nginx.http2URL("/20k")))
        #expect(whole.version == "HTTP/2")
        #expect(whole.body == NginxServer.content(20_000))
        let posted = try await transport.send(
            HTTPRequest(url: nginx.http2URL("/connection"), method: .post, body: [1, 2, 3]))
        #expect(posted.status == 200)
    }

    @Test func `A second request without TLS was broken off, since libcurl can't keep connections`()
        async throws
    {
        let (transport, url) = (transport, nginx.http2URL("/connection"))
        for _ in 0..<3 { #expect(try await transport.send(HTTPRequest(url: url)).status == 200) }
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<64 {
                group.addTask { try await transport.send(HTTPRequest(url: url)).body }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        // Each is the first request on a connection of its own.
        #expect(bodies.count == 64)
        #expect(bodies.allSatisfy { $0.suffix(2) == Array(" 1".utf8) })
    }

    @Test func `A server that only knows HTTP/1.1 without TLS is an error that says what to check`()
        async throws
    {
        let error = await failure(HTTPRequest(url: nginx.url("/1k")))
        #expect(error?.code == .connectionLost)
        #expect(
            error?.description
                == "127.0.0.1:\(nginx.port) closed the connection without an answer; "
                + "check that it speaks HTTP/2 without TLS")
        // Also one that goes on as if nothing were wrong.
        let server = try LoopbackServer(replies: .text("x"))
        var request = HTTPRequest(url: server.url())
        request.timeouts.idle = .seconds(1)
        let other = await failure(request)
        #expect(other?.response == nil)
    }

    @Test func `A stream without TLS stalled for seconds, and is refused, also after a redirect`()
        async throws
    {
        for url in [
            nginx.http2URL("/20k"), nginx.secureURL("/redirect?to=\(nginx.http2URL("/20k"))"),
        ] {
            let error = await #expect(throws: NetworkError.self) {
                try await transport.stream(HTTPRequest(url: url))
            }
            #expect(error?.code == .invalidRequest)
            #expect(
                error?.description
                    == "content of 127.0.0.1:\(nginx.http2Port) can't be streamed by HTTP/2 without "
                    + "TLS; use https or HTTP/1.1, or send the request and get the content as a "
                    + "whole")
        }
        // Up to the default limit it comes as a whole.
        let large = HTTPRequest(
            url: nginx.http2URL("/64m"), fields: ["Range": "bytes=0-\((16 << 20) - 1)"])
        for _ in 0..<10 { #expect(try await transport.send(large).body.count == 16 << 20) }
        let secure = HTTPRequest(url: nginx.secureURL("/20k", Self.http2))
        let stream = try await transport.stream(secure)
        #expect(stream.head.version == "HTTP/2")
        #expect(try await stream.reduce(0) { $0 + $1.count } == 20_000)
    }

    @Test func `A redirect is followed in HTTP/2 only, with TLS and without`() async throws {
        func redirect(to url: String) -> HTTPRequest {
            HTTPRequest(url: nginx.http2URL("/redirect?to=\(url)"))
        }
        let response = try await transport.send(redirect(to: nginx.secureURL("/1k", Self.http2)))
        #expect(response.version == "HTTP/2")
        #expect(response.redirectCount == 1)
        let error = await failure(redirect(to: nginx.secureURL("/1k", Self.http1)))
        #expect(error?.code == .httpVersion)
    }

    @Test func `A request of its own options is one of HTTP/2, others are as before`() async throws
    {
        let plain = try CurlTransport()
        var request = HTTPRequest(url: nginx.http2URL("/1k"))
        request.connection = ConnectionOptions()
        request.connection?.version = .http2
        #expect(try await plain.send(request).version == "HTTP/2")
        #expect(try await plain.send(HTTPRequest(url: nginx.url("/1k"))).version == "HTTP/1.1")
    }

    @Test func `An HTTP proxy for plain HTTP is an error, where libcurl would fall back`()
        async throws
    {
        let proxy = try LoopbackServer(replies: .text("x"))
        var request = HTTPRequest(url: nginx.http2URL("/1k"))
        var options = ConnectionOptions()
        options.version = .http2
        options.proxy = try ConnectionOptions.Proxy(proxy.url(""))
        request.connection = options
        let error = await failure(request)
        #expect(error?.code == .httpVersion)
    }
}
