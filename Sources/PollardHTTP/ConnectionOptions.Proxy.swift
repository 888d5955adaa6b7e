// SPDX-License-Identifier: Apache-2.0

extension ConnectionOptions {
    /// A proxy that connections are made through.
    ///
    /// ```swift
    /// let proxy = try ConnectionOptions.Proxy(
    ///     "socks5://127.0.0.1:1080", username: "pollard", password: secret)
    /// ```
    public struct Proxy: Sendable, Hashable {
        /// The protocol spoken with the proxy.
        public enum Kind: Sendable, Hashable {
            /// HTTP: https through a tunnel (CONNECT; RFC 9110, 9.3.6), http by absolute URLs.
            case http
            /// SOCKS5 (RFC 1928), where the proxy looks up the name of the server.
            case socks5
        }

        /// The protocol spoken with the proxy.
        public let kind: Kind
        /// A name, or an address; that of IPv6 in brackets.
        public let host: String
        /// The port.
        public let port: Int
        /// Whom to name to the proxy, if it asks.
        let credentials: Credentials?

        /// A user name and a password (RFC 7617, RFC 1929).
        struct Credentials: Sendable, Hashable {
            var username: String
            var password: String
        }

        /// Reads the place of a proxy.
        ///
        /// - Parameters:
        ///   - url: `http://HOST:PORT`, or `socks5://HOST:PORT`, also as `socks5h`.
        ///   - username: Sent to the proxy, with `password`; nil sends neither.
        ///   - password: Empty by default.
        /// - Throws: `NetworkError.Code.invalidRequest`, with nothing of the credentials.
        public init(
            _ url: String, username: String? = nil, password: String = ""
        ) throws(NetworkError) {
            let parts = try ProxyURL(url)
            switch parts.scheme {
            case "http": kind = .http
            case "socks5", "socks5h": kind = .socks5
            default:
                throw NetworkError(
                    .invalidRequest,
                    "a proxy can't be spoken with by '\(parts.scheme.escaped)'; "
                        + "begin its URL with http:// or socks5://")
            }
            host = parts.host
            port = parts.port
            guard let username else {
                credentials = nil
                return
            }
            guard username.firstControlCharacter == nil, password.firstControlCharacter == nil
            else {
                throw NetworkError(
                    .invalidRequest,
                    "the user name or password for the proxy has a control character")
            }
            guard kind == .socks5 || !username.utf8.contains(UInt8(ascii: ":")) else {
                throw NetworkError(
                    .invalidRequest,
                    "the user name for the proxy has a colon, which basic authentication can't")
            }
            guard max(username.utf8.count, password.utf8.count) <= Self.maximumSecretBytes else {
                throw NetworkError(
                    .invalidRequest,
                    "the user name or password for the proxy is longer than "
                        + "\(Self.maximumSecretBytes) bytes")
            }
            credentials = Credentials(username: username, password: password)
        }

        /// What a SOCKS5 proxy takes, in bytes (RFC 1929, 2); enough for the others.
        private static let maximumSecretBytes = 255

        /// The proxy as libcurl wants it: names are looked up by the proxy.
        var url: String { "\(kind == .http ? "http" : "socks5h")://\(host):\(port)" }
        /// As errors name it.
        var authority: String { "\(host):\(port)" }
    }
}

extension ConnectionOptions.Proxy: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Kind, host and port, without the credentials.
    public var description: String {
        "\(kind == .http ? "http" : "socks5")://\(host):\(port)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}
