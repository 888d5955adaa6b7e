// SPDX-License-Identifier: Apache-2.0

/// Whom a request is for: scheme, host and port (RFC 9110, 4.3.1).
struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// Whether connections are encrypted: `https` rather than `http`.
    let isSecure: Bool
    /// The host in lower case; an IPv6 address in brackets.
    let host: String
    /// The port, also where the URL leaves it out.
    let port: Int
    /// Whether the host is an address, so that no name is looked up.
    let isAddress: Bool

    /// Makes an origin.
    init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        isAddress =
            host.hasPrefix("[")
            || host.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2e }
    }

    /// The port that a URL of this scheme means when it names none.
    var defaultPort: Int { isSecure ? 443 : 80 }

    /// As the Host field has it: without the port that the scheme means anyway.
    var authority: String { port == defaultPort ? host : description }

    /// As errors name it: `example.org:443`.
    var description: String { "\(host):\(port)" }
}
