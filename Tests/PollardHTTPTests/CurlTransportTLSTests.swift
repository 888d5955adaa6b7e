// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// TLS and HTTP/2 with a real server.
@Suite struct CurlTransportTLSTests {
    /// One server for all tests of this file.
    private struct Fixture: Sendable {
        let authority: TestAuthority
        let nginx: NginxServer
        let expiry: String

        static let http2 = 0
        static let http1 = 1
        static let expired = 2
        static let otherName = 3

        init() async throws {
            authority = try await TestAuthority()
            let good = try await authority.certificate("good", days: 20)
            expiry = try await authority.expiry(of: good)
            nginx = try await NginxServer(secure: [
                NginxServer.Secure(good), NginxServer.Secure(good, offersHTTP2: false),
                NginxServer.Secure(try await authority.certificate("expired", days: -1)),
                NginxServer.Secure(
                    try await authority.certificate("other", for: ["DNS:other.example"])),
            ])
        }

        func transport(
            _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
        ) throws -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.connection.tls.certificateAuthorities = authority.certificate
            change(&configuration)
            return try CurlTransport(configuration: configuration)
        }
    }

    private let fixture: Fixture

    init() async throws { fixture = try await Fixture() }

    @Test func `HTTP/2 is used where the server has it`() async throws {
        let transport = try fixture.transport()
        let response = try await transport.send(
            HTTPRequest(url: fixture.nginx.secureURL("/20k")))
        #expect(response.status == 200)
        #expect(response.version == "HTTP/2")
        #expect(response.body == NginxServer.content(20_000))
        #expect(response.timing.nameLookup != nil)
        #expect(response.timing.connect != nil)
        #expect(response.timing.tls != nil)
    }

    @Test func `HTTP/1.1 is used where the server or the caller wants it`() async throws {
        let first = try await fixture.transport().send(
            HTTPRequest(url: fixture.nginx.secureURL("/1k", Fixture.http1)))
        #expect(first.version == "HTTP/1.1")
        let second = try await fixture.transport { $0.connection.version = .http1 }
            .send(HTTPRequest(url: fixture.nginx.secureURL("/1k", Fixture.http2)))
        #expect(second.version == "HTTP/1.1")
        #expect(second.body == NginxServer.content(1000))
    }

    @Test func `Many requests share one HTTP/2 connection`() async throws {
        let transport = try fixture.transport { $0.limits.maximumPerOrigin = 64 }
        let url = fixture.nginx.secureURL("/connection")
        let connections = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let response = try await transport.send(HTTPRequest(url: url))
                    return String(decoding: response.body.prefix { $0 != 0x20 }, as: UTF8.self)
                }
            }
            var connections: Set<String> = []
            for try await connection in group { connections.insert(connection) }
            return connections
        }
        #expect(connections.count == 1)
    }

    @Test func `A stream that nobody reads holds up no other request of HTTP/2`() async throws {
        let transport = try fixture.transport()
        var large = HTTPRequest(url: fixture.nginx.secureURL("/64m"))
        large.maximumBodyBytes = .max
        let streams = [try await transport.stream(large), try await transport.stream(large)]
        for _ in 0..<10 {
            let response = try await transport.send(
                HTTPRequest(url: fixture.nginx.secureURL("/20k")))
            #expect(response.version == "HTTP/2")
            #expect(response.body == NginxServer.content(20_000))
        }
        for stream in streams.reversed() {
            #expect(stream.head.version == "HTTP/2")
            #expect(try await stream.reduce(0) { $0 + $1.count } == 64 << 20)
        }
    }

    @Test func `Requests that time out on a shared connection leave no name lookup behind`()
        async throws
    {
        let count = LookupBudget.maximumAbandoned + 8
        let transport = try fixture.transport { $0.limits.maximumPerOrigin = count }
        let url = fixture.nginx.secureURL("/1k")
        #expect(try await transport.send(HTTPRequest(url: url)).status == 200)
        var slow = HTTPRequest(url: fixture.nginx.secureURL("/drip"))
        slow.timeouts.total = .milliseconds(500)
        let codes = await withTaskGroup(of: NetworkError.Code?.self) { [slow] group in
            for _ in 0..<count {
                group.addTask {
                    await #expect(throws: NetworkError.self) { try await transport.send(slow) }?
                        .code
                }
            }
            return await group.reduce(into: Set<NetworkError.Code?>()) { $0.insert($1) }
        }
        #expect(codes == [.timeout])
        #expect(try await transport.send(HTTPRequest(url: url)).status == 200)
    }

    @Test func `Content of HTTP/1.1 is compressed and the connection kept`() async throws {
        let transport = try fixture.transport()
        let text = try await transport.send(HTTPRequest(url: fixture.nginx.url("/text")))
        #expect(text.fields["Content-Encoding"] == "gzip")
        #expect(String(decoding: text.body, as: UTF8.self) == NginxServer.text)
        var bodies: [String] = []
        for _ in 0..<3 {
            let response = try await transport.send(
                HTTPRequest(url: fixture.nginx.url("/connection")))
            bodies.append(String(decoding: response.body, as: UTF8.self))
        }
        let connection = bodies[0].prefix { $0 != " " }
        #expect(bodies == ["\(connection) 2", "\(connection) 3", "\(connection) 4"])
    }

    @Test func `The certificate's expiry is known also on a reused connection`() async throws {
        let transport = try fixture.transport()
        let expected = try #require(CertificateExpiries.seconds(of: fixture.expiry))
        for round in 0..<3 {
            let response = try await transport.send(
                HTTPRequest(url: fixture.nginx.secureURL("/1k")))
            #expect(response.certificateExpiry == expected)
            #expect((response.timing.tls == nil) == (round > 0))
        }
    }

    @Test(arguments: [
        (
            Fixture.expired,
            "the certificate of SERVER has expired; renew it on the server"
        ),
        (
            Fixture.otherName,
            "the certificate of SERVER is for another name; check the host in the URL"
        ),
    ])
    func `A bad certificate has its exact message`(
        _ index: Int, _ message: String
    ) async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await fixture.transport().send(
                HTTPRequest(url: fixture.nginx.secureURL("/1k?key=secret", index)))
        }
        #expect(error?.code == .tls)
        let server = "localhost:\(fixture.nginx.securePorts[index])"
        #expect(error?.description == message.replacing("SERVER", with: server))
        #expect(error?.curl?.code == 60)
    }

    @Test func `An unknown authority has its exact message`() async throws {
        let transport = try CurlTransport()
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: fixture.nginx.secureURL("/1k")))
        }
        #expect(error?.code == .tls)
        #expect(
            error?.description
                == "the certificate of localhost:\(fixture.nginx.securePorts[0]) was issued by an "
                + "unknown authority; add the authority to the CA certificates")
    }

    @Test func `A port without TLS has its exact message`() async throws {
        let transport = try CurlTransport()
        let url = "https://127.0.0.1:\(fixture.nginx.port)/"
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: url))
        }
        #expect(error?.code == .tls)
        #expect(
            error?.description == "127.0.0.1:\(fixture.nginx.port) does not speak TLS; "
                + "check whether its URL begins with http:")
    }

    @Test func `A file of authorities that is none has its exact message`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.connection.tls.certificateAuthorities = "/nowhere/authorities.pem"
        let transport = try CurlTransport(configuration: configuration)
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: fixture.nginx.secureURL("/1k")))
        }
        #expect(error?.code == .tls)
        #expect(
            error?.description
                == "cannot read the CA certificates in '/nowhere/authorities.pem'; "
                + "check that the file exists and holds certificates in PEM form")
    }

    @Test func `Credentials don't go from https to http or back`() async throws {
        let transport = try fixture.transport()
        let secure = fixture.nginx.secureURL("/")
        let plain = fixture.nginx.url("/")
        let fields: HTTPFields = ["Authorization": "Bearer secret"]
        for (from, to, expected) in [
            (secure, plain, "[]"), (plain, secure, "[]"), (secure, secure, "[Bearer secret]"),
        ] {
            let url = "\(from)redirect?to=\(to)authorization"
            let response = try await transport.send(HTTPRequest(url: url, fields: fields))
            #expect(response.url == "\(to)authorization")
            #expect(String(decoding: response.body, as: UTF8.self) == expected)
        }
    }

}
