// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A real server: nginx(8) on loopback, with files of its own, ended with the object.
///
/// It runs as one process of the same user, so as root and otherwise alike.
package final class NginxServer: Sendable {
    /// The port for plain HTTP.
    package let port: UInt16
    /// The port for HTTP/2 without TLS, which speaks nothing else.
    package let http2Port: UInt16
    /// The ports for TLS, in the order in which their certificates were given.
    package let securePorts: [UInt16]
    private let directory: TemporaryDirectory
    private let process: Subprocess

    /// One port with TLS.
    package struct Secure: Sendable {
        /// What the server shows.
        package var certificate: TestAuthority.Certificate
        /// Whether HTTP/2 is offered.
        package var offersHTTP2: Bool
        /// The file of the authority that clients must have a certificate of; nil asks for none.
        package var clientAuthority: String?
        /// The versions of TLS, as in `TLSv1.2`.
        package var protocols: String

        package init(
            _ certificate: TestAuthority.Certificate, offersHTTP2: Bool = true,
            clientAuthority: String? = nil, protocols: String = "TLSv1.2 TLSv1.3"
        ) {
            self.certificate = certificate
            self.offersHTTP2 = offersHTTP2
            self.clientAuthority = clientAuthority
            self.protocols = protocols
        }
    }

    /// nginx(8) did not start.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Starts the server.
    ///
    /// It has the files `/1k` and `/20k` of that many kB, `/64m` of 64 MiB, and `/text`, which is
    /// compressed.
    /// `/connection` tells the connection's number and the request's on it, `/authorization` the
    /// field of that name in brackets, `/tls` what the server knows of
    /// the connection's TLS, `/redirect?to=URL` is a redirect, and `/drip` goes on for
    /// minutes.
    ///
    /// - Parameters:
    ///   - secure: What to offer with TLS.
    ///   - requestsPerConnection: How many requests a connection may carry until it is closed.
    /// - Throws: `Failed` with what nginx(8) says.
    package init(
        secure: [Secure] = [], requestsPerConnection: Int = 1_000_000
    ) async throws {
        directory = try TemporaryDirectory()
        try directory.write(Self.content(1000), to: "files/1k")
        try directory.write(Self.content(20_000), to: "files/20k")
        // Sparse: it costs nothing.
        let large = try directory.write("", to: "files/64m")
        guard unsafe truncate(large, 64 << 20) == 0 else { throw SystemCallError("truncate") }
        try directory.write(Self.text, to: "files/text")
        // Somebody may take a free port before nginx does: then others are tried.
        for attempt in 1... {
            let ports = try freePorts(secure.count + 2)
            let file = try directory.write(
                Self.configuration(
                    in: directory, ports: ports, secure, requestsPerConnection),
                to: "nginx.conf")
            let process = try Subprocess(
                "/usr/sbin/nginx", ["-e", "stderr", "-p", directory.path, "-c", file])
            try await waitUntil("nginx to listen") {
                process.result.status != nil || ports.allSatisfy(process.isListening(on:))
            }
            if process.result.status == nil {
                self.process = process
                port = ports[0]
                http2Port = ports[1]
                securePorts = Array(ports.dropFirst(2))
                return
            }
            let said = process.result.errorText
            guard attempt < 5, said.contains("Address already in use") else {
                throw Failed(description: said)
            }
        }
        throw Failed(description: "no port is free")
    }

    deinit { stop() }

    /// Ends the server.
    package func stop() { process.kill() }

    /// The URL of a file over plain HTTP.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The URL of a file over HTTP/2 without TLS.
    package func http2URL(_ path: String) -> String { "http://127.0.0.1:\(http2Port)\(path)" }

    /// The Unix socket for plain HTTP.
    package var unixSocket: String { directory.path(of: "nginx.sock") }

    /// The URL of a file over TLS.
    package func secureURL(_ path: String, _ index: Int = 0) -> String {
        "https://localhost:\(securePorts[index])\(path)"
    }

    /// Bytes that do not repeat soon.
    package static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 7919) >> 3) }
    }

    /// The content of `/text`.
    package static let text = String(repeating: "one line of many, all alike\n", count: 100)

    private static func configuration(
        in directory: TemporaryDirectory, ports: [UInt16], _ secure: [Secure],
        _ requestsPerConnection: Int
    ) -> String {
        let locations = """
            root \(directory.path)/files;
            location /64m { gzip off; }
            location /connection {
                default_type text/plain;
                return 200 "$connection $connection_requests";
            }
            location /authorization {
                default_type text/plain;
                return 200 "[$http_authorization]";
            }
            location /tls {
                default_type text/plain;
                return 200 "$ssl_protocol [$ssl_server_name] [$host] [$ssl_client_s_dn]";
            }
            location /redirect { return 302 $arg_to; }
            location /drip {
                alias \(directory.path)/files/20k;
                limit_rate 100;
            }
            """
        let servers = zip(ports.dropFirst(2), secure).map { port, secure in
            """
            server {
                listen 127.0.0.1:\(port) ssl\(secure.offersHTTP2 ? " http2" : "");
                ssl_certificate \(secure.certificate.certificate);
                ssl_certificate_key \(secure.certificate.key);
                ssl_protocols \(secure.protocols);
                \(secure.clientAuthority.map {
                    "ssl_client_certificate \($0); ssl_verify_client on;"
                } ?? "")
                \(locations)
            }
            """
        }
        let temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory.path)/\($0);" }.joined(separator: "\n")
        return """
            daemon off;
            master_process off;
            pid \(directory.path)/nginx.pid;
            events { worker_connections 1024; }
            http {
                \(temporaryPaths)
                access_log off;
                default_type text/plain;
                gzip on;
                gzip_types text/plain;
                keepalive_requests \(requestsPerConnection);
                server {
                    listen 127.0.0.1:\(ports[0]);
                    listen unix:\(directory.path)/nginx.sock;
                    \(locations)
                }
                server {
                    listen 127.0.0.1:\(ports[1]) http2;
                    \(locations)
                }
                \(servers.joined(separator: "\n"))
            }
            """
    }
}
