// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// Connection options of single requests, with a real server.
@Suite(.timeLimit(.minutes(2))) struct CurlTransportConnectionTests {
    /// One server for each test, with these ports.
    private struct Fixture: Sendable {
        let authority: TestAuthority
        let client: TestAuthority.Certificate
        let other: TestAuthority.Certificate
        let nginx: NginxServer

        static let plain = 0
        static let wantsCertificate = 1
        static let only12 = 2
        static let otherName = 3
        static let only13 = 4

        init() async throws {
            authority = try await TestAuthority()
            let server = try await authority.certificate("server")
            client = try await authority.certificate("client", for: ["DNS:client"])
            other = try await authority.certificate("other", for: ["DNS:other.example"])
            nginx = try await NginxServer(secure: [
                NginxServer.Secure(server),
                NginxServer.Secure(server, clientAuthority: authority.certificate),
                NginxServer.Secure(server, protocols: "TLSv1.2"),
                NginxServer.Secure(other), NginxServer.Secure(server, protocols: "TLSv1.3"),
            ])
        }

        func request(
            _ path: String, _ index: Int = plain, _ change: (inout ConnectionOptions) -> Void
        ) -> HTTPRequest {
            var options = ConnectionOptions()
            options.tls.certificateAuthorities = authority.certificate
            change(&options)
            var request = HTTPRequest(url: nginx.secureURL(path, index))
            request.connection = options
            return request
        }

        func clientCertificate(
            _ certificate: TestAuthority.Certificate
        ) -> ConnectionOptions.TLS.ClientCertificate {
            .init(certificate: certificate.certificate, key: certificate.key)
        }
    }

    private let fixture: Fixture
    private let transport: CurlTransport

    init() async throws {
        fixture = try await Fixture()
        transport = try CurlTransport()
    }

    private func text(_ request: HTTPRequest) async throws -> String {
        let response = try await transport.send(request)
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test func `A request may have options of its own, and others don't use its connection`()
        async throws
    {
        let own = fixture.request("/connection") { _ in }
        let first = try await text(own)
        let second = try await text(own)
        #expect(first.hasSuffix(" 1") && second.hasSuffix(" 2"))
        let connection = first.prefix { $0 != " " }
        #expect(second.hasPrefix(connection))
        // Without the options, the same server is not trusted, though a connection is there.
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: fixture.nginx.secureURL("/connection")))
        }
        #expect(error?.code == .tls)
        for change in [
            { @Sendable (options: inout ConnectionOptions) in options.version = .http1 },
            { $0.tls.minimumVersion = .tls13 }, { $0.tls.verification = .insecureNone },
            { $0.tls.serverName = "localhost" },
            { [client = fixture.clientCertificate(fixture.client)] in
                $0.tls.clientCertificate = client
            },
        ] {
            let other = fixture.request("/connection", Fixture.plain, change)
            let answer = try await text(other)
            #expect(answer.hasSuffix(" 1"))
            #expect(!answer.hasPrefix("\(connection) "))
            #expect(try await text(other).hasSuffix(" 2"))
        }
        #expect(try await text(own) == "\(connection) 3")
    }

    @Test func `Options that are the transport's own are no others`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.connection.tls.certificateAuthorities = fixture.authority.certificate
        let transport = try CurlTransport(configuration: configuration)
        let own = fixture.request("/connection") { _ in }
        var bodies: [String] = []
        for request in [HTTPRequest(url: own.url), own, HTTPRequest(url: own.url)] {
            let response = try await transport.send(request)
            bodies.append(String(decoding: response.body, as: UTF8.self))
        }
        #expect(bodies.map { $0.suffix(2) } == [" 1", " 2", " 3"])
        #expect(Set(bodies.map { $0.prefix { $0 != " " } }).count == 1)
    }

    @Test func `A client certificate is shown to a server that asks`() async throws {
        let shown = fixture.request("/tls", Fixture.wantsCertificate) {
            $0.tls.clientCertificate = fixture.clientCertificate(fixture.client)
        }
        #expect(try await text(shown).hasSuffix("[CN=client]"))
        let other = fixture.request("/tls", Fixture.wantsCertificate) {
            $0.tls.clientCertificate = fixture.clientCertificate(fixture.other)
        }
        #expect(try await text(other).hasSuffix("[CN=other]"))
        let none = fixture.request("/tls", Fixture.wantsCertificate) { _ in }
        #expect(try await transport.send(none).status == 400)
        #expect(try await text(shown).hasSuffix("[CN=client]"))
    }

    @Test func `A client certificate is not shown to another origin after a redirect`() async throws
    {
        let target = fixture.nginx.secureURL("/tls", Fixture.wantsCertificate)
        let same = fixture.request("/redirect?to=\(target)", Fixture.wantsCertificate) {
            $0.tls.clientCertificate = fixture.clientCertificate(fixture.client)
        }
        #expect(try await text(same).hasSuffix("[CN=client]"))
        let other = fixture.request("/redirect?to=\(target)", Fixture.plain) {
            $0.tls.clientCertificate = fixture.clientCertificate(fixture.client)
        }
        let response = try await transport.send(other)
        #expect(response.url == target)
        #expect(response.status == 400)
    }

    @Test func `The minimum version of TLS is kept`() async throws {
        let new = fixture.request("/tls") { $0.tls.minimumVersion = .tls13 }
        #expect(try await text(new).hasPrefix("TLSv1.3 "))
        let old = fixture.request("/tls", Fixture.only12) { _ in }
        #expect(try await text(old).hasPrefix("TLSv1.2 "))
        let refused = fixture.request("/tls", Fixture.only12) { $0.tls.minimumVersion = .tls13 }
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(refused)
        }
        let server = "localhost:\(fixture.nginx.securePorts[Fixture.only12])"
        #expect(error?.code == .tls)
        #expect(
            error?.description
                == "\(server) has no TLS 1.3 or later; lower the minimum, or update it")
    }

    @Test func `A server name is asked for and verified, and the Host is that of the URL`()
        async throws
    {
        let request = fixture.request("/tls?a=b", Fixture.otherName) {
            $0.tls.serverName = "other.example"
        }
        let response = try await transport.send(request)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                .hasSuffix(" [other.example] [localhost] []"))
        #expect(response.url == request.url)
        #expect(response.version == "HTTP/2")
        let wrong = fixture.request("/tls") { $0.tls.serverName = "wrong.example" }
        let error = await #expect(throws: NetworkError.self) { try await transport.send(wrong) }
        #expect(error?.code == .tls)
        #expect(
            error?.description
                == "the certificate of localhost:\(fixture.nginx.securePorts[0]) is not for the "
                + "name 'wrong.example'; check the server name")
    }

    @Test func `A server name is not used for another origin after a redirect`() async throws {
        let target = fixture.nginx.secureURL("/tls", Fixture.plain)
        let request = fixture.request("/redirect?to=\(target)", Fixture.otherName) {
            $0.tls.serverName = "other.example"
        }
        #expect(try await text(request).hasSuffix(" [localhost] [localhost] []"))
    }

    @Test func `Without verification anybody is taken for the server`() async throws {
        let request = fixture.request("/tls", Fixture.otherName) {
            $0.tls.verification = .insecureNone
            $0.tls.certificateAuthorities = nil
        }
        #expect(try await text(request).hasPrefix("TLSv1.3 [localhost]"))
    }

    @Test func `A client certificate that can't be used says which file, and why`() async throws {
        let directory = try TemporaryDirectory()
        let noPEM = try directory.write("no PEM\n", to: "no.pem")
        let encrypted = directory.path(of: "encrypted.key")
        let run = try await Subprocess.run(
            "/usr/bin/openssl",
            ["ec", "-in", fixture.client.key, "-aes128", "-passout", "pass:x", "-out", encrypted])
        #expect(run.status == .exited(0))
        let (certificate, key) = (fixture.client.certificate, fixture.client.key)
        func unusable(_ certificate: String, _ key: String) -> String {
            "cannot use the client certificate '\(certificate)' with the key '\(key)'; "
                + "check that both are in PEM form, belong together, and that the key is not "
                + "encrypted"
        }
        for (certificate, key, message) in [
            (
                "/nowhere/a.pem", key,
                "cannot read '/nowhere/a.pem' for the client certificate: no such file or directory"
            ),
            (
                certificate, "/nowhere/a.key",
                "cannot read '/nowhere/a.key' for the client certificate: no such file or directory"
            ),
            (noPEM, key, unusable(noPEM, key)),
            (certificate, noPEM, unusable(certificate, noPEM)),
            (certificate, fixture.other.key, unusable(certificate, fixture.other.key)),
            (certificate, encrypted, unusable(certificate, encrypted)),
        ] {
            let request = fixture.request("/tls", Fixture.wantsCertificate) {
                $0.tls.clientCertificate = .init(certificate: certificate, key: key)
            }
            let error = await #expect(throws: NetworkError.self) {
                try await transport.send(request)
            }
            #expect(error?.code == .tls)
            #expect(error?.description == message)
        }
    }

    @Test func `A Unix socket takes the place of host and port`() async throws {
        var request = HTTPRequest(url: "http://service.invalid/connection")
        request.connection = ConnectionOptions()
        request.connection?.unixSocket = fixture.nginx.unixSocket
        #expect(try await text(request).hasSuffix(" 1"))
        #expect(try await text(request).hasSuffix(" 2"))
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(HTTPRequest(url: request.url))
        }
        #expect(error?.code == .nameLookup)
        request.connection?.unixSocket = "/nowhere/a.sock"
        let none = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(none?.code == .connect)
        #expect(
            none?.description
                == "cannot connect to '/nowhere/a.sock': no such file or directory; "
                + "check the path, and that the server runs")
    }

    @Test(arguments: [
        ("a b", "the server name 'a b' is no host name"),
        ("", "the server name '' is no host name"),
    ])
    func `A server name that is none is refused`(_ name: String, _ message: String) async throws {
        let request = fixture.request("/tls") { $0.tls.serverName = name }
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == message)
    }

    @Test func `More sets of options than are kept are no error`() async throws {
        for round in 0..<(ConnectionPools.maximumIdle + 20) {
            // Twice each, so that both a new and a known one is used.
            for _ in 0..<2 {
                let request = fixture.request("/1k") { $0.tls.serverName = "a\(round).example" }
                let error = await #expect(throws: NetworkError.self) {
                    try await transport.send(request)
                }
                #expect(error?.code == .tls)
            }
        }
        #expect(try await text(fixture.request("/tls") { _ in }).hasPrefix("TLSv1.3"))
    }
}
