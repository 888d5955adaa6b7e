// SPDX-License-Identifier: Apache-2.0

/// The scheme of a URL that can be requested.
public enum HTTPScheme: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// Without encryption.
    case http
    /// Over TLS.
    case https

    /// The port of a URL that names none (RFC 9110, 4.2).
    public var defaultPort: Int { self == .http ? 80 : 443 }

    /// As it stands in a URL.
    public var description: String { rawValue }
}
