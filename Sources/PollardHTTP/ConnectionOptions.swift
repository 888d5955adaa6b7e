// SPDX-License-Identifier: Apache-2.0

/// How the server of a request is reached, and whom it has to be.
///
/// A transport has them for all of its requests; a request may have its own, which then count
/// alone. A connection is only ever used again by requests with equal options.
///
/// ```swift
/// var options = ConnectionOptions()
/// options.proxy = try ConnectionOptions.Proxy("http://proxy.example.org:3128")
/// options.tls.certificateAuthorities = "/etc/ssl/company.pem"
/// request.connection = options
/// ```
public struct ConnectionOptions: Sendable, Hashable {
    /// How connections are encrypted.
    public var tls = TLS()
    /// What all connections are made through; nil, the default, for none.
    ///
    /// Proxies named in the environment are never used.
    public var proxy: Proxy?
    /// The path of a Unix socket that connections are made to, whatever host the URL names; nil,
    /// the default, for TCP.
    ///
    /// The URL still gives the Host field, and with https the name in the certificate. Redirects
    /// stay on the socket. There can't be a proxy too.
    public var unixSocket: String?
    /// The versions of HTTP to use; HTTP/2 where the server has it, by default.
    public var version: Version = .automatic

    /// Makes the default options.
    public init() {}

    /// Which versions of HTTP are used.
    public enum Version: Sendable, Hashable {
        /// HTTP/2 over TLS if the server offers it, else HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 only: over TLS if the server agrees (ALPN), over plain HTTP with prior knowledge
        /// (RFC 9113, 3.3), which is only for servers that are known to speak it.
        ///
        /// An answer of another version is `NetworkError.Code.httpVersion`, never an answer. That is
        /// only seen by the answer: a server without HTTP/2 over TLS has got the request by then.
        /// With plain HTTP such a server mostly closes the connection; each request makes one of its
        /// own, there are no streams and downloads, and an HTTP proxy can't be used.
        case http2
    }

    /// How connections are encrypted, and whom the other side has to be.
    public struct TLS: Sendable, Hashable {
        /// A file of CA certificates in PEM form; nil, the default, trusts those of the system.
        public var certificateAuthorities: String?
        /// What the client shows to a server that asks for it; nil, the default, for nothing.
        ///
        /// It is not shown to another origin after a redirect.
        public var clientCertificate: ClientCertificate?
        /// The lowest version that is accepted; 1.2 by default.
        public var minimumVersion: Version = .tls12
        /// The name that is asked for (RFC 6066, 3) and that the certificate has to be for; nil,
        /// the default, for the host of the URL.
        ///
        /// It is not used for another origin after a redirect.
        public var serverName: String?
        /// What is checked of the server's certificate; everything by default.
        public var verification: Verification = .full

        /// Makes the default options.
        public init() {}

        /// Versions of TLS.
        public enum Version: Sendable, Hashable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// What is checked of the server's certificate.
        public enum Verification: Sendable, Hashable {
            /// Its authority, its dates and its name.
            case full
            /// Nothing: anybody on the way can read and change everything.
            case insecureNone
        }

        /// A certificate of the client's, and its key.
        public struct ClientCertificate: Sendable, Hashable {
            /// A file in PEM form; after the certificate it may have those up to the authority.
            public var certificate: String
            /// A file with the private key in PEM form, not encrypted.
            public var key: String

            /// Names the files, which are read when a connection is made.
            ///
            /// - Parameters:
            ///   - certificate: The path of the certificate.
            ///   - key: The path of its private key; may be the same file.
            public init(certificate: String, key: String) {
                self.certificate = certificate
                self.key = key
            }
        }
    }

    /// The options for an origin that a redirect leads to: without what was meant for the first.
    var forAnotherOrigin: ConnectionOptions {
        var options = self
        options.tls.clientCertificate = nil
        options.tls.serverName = nil
        return options
    }

    /// Refuses what libcurl would read differently.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest`.
    func validate() throws(NetworkError) {
        if unixSocket != nil, proxy != nil {
            throw NetworkError(
                .invalidRequest,
                "a connection can't use both a Unix socket and a proxy; leave one out")
        }
        let texts: [(String, String?)] = [
            ("path of the Unix socket", unixSocket),
            ("path of the CA certificates", tls.certificateAuthorities),
            ("path of the client certificate", tls.clientCertificate?.certificate),
            ("path of the client certificate's key", tls.clientCertificate?.key),
        ]
        for (what, text) in texts {
            guard let text else { continue }
            guard !text.isEmpty, text.firstControlCharacter == nil else {
                throw NetworkError(
                    .invalidRequest, "the \(what) is empty or has a control character")
            }
        }
        if let name = tls.serverName, !Self.isHostName(name) {
            throw NetworkError(
                .invalidRequest, "the server name '\(name.escaped)' is no host name")
        }
    }

    /// Letters, digits, hyphens and dots: what can't end a host in a URL.
    private static func isHostName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e: true
                default: false
                }
            }
    }
}
