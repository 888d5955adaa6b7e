// SPDX-License-Identifier: Apache-2.0

/// An absolute URL taken apart, to which a path and query items can be added.
struct BaseURL: Sendable, Hashable {
    /// Scheme, host and port without what is the default, as `https://example.org:8443`.
    let origin: String
    /// Encoded; empty, or beginning with a slash.
    private let path: String
    /// Encoded, without the question mark; nil if there is none.
    private let query: String?

    /// Takes an absolute http or https URL apart; its fragment is dropped.
    ///
    /// Triplets like `%2F` are kept; what no URL can hold is encoded.
    ///
    /// - Throws: `NetworkError.Code.invalidURL`; the message quotes at most scheme and host, since
    ///   a query may hold secrets.
    init(_ text: String) throws(NetworkError) {
        if let control = text.firstControlCharacter {
            throw NetworkError(.invalidURL, "the URL has \(control)")
        }
        // By scalars: a slash and a combining mark after it are one `Character`.
        let scalars = text.unicodeScalars
        guard let mark = scalars.firstRange(of: "://".unicodeScalars) else {
            throw Self.noScheme
        }
        let name = text[..<mark.lowerBound].lowercased()
        // What only looks like one, as all before the `://` of a query's value, may be a secret.
        guard Self.isScheme(name) else { throw Self.noScheme }
        guard let scheme = HTTPScheme(rawValue: name) else {
            throw NetworkError(
                .invalidURL,
                "the URL's scheme is '\(name)'; only http and https can be used")
        }
        let rest = scalars[mark.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let afterAuthority = rest[authority.endIndex...]
        let path = afterAuthority.prefix { $0 != "?" }
        let query = afterAuthority[path.endIndex...].dropFirst()
        let (host, port) = try Self.split(authority)
        try self.init(
            scheme: scheme, host: host, port: port, path: PercentEncoding.path(String(path)),
            query: path.endIndex == afterAuthority.endIndex
                ? nil : PercentEncoding.query(String(query)))
    }

    /// Makes the root of a host, which may be an IPv6 address with or without brackets.
    ///
    /// - Throws: `NetworkError.Code.invalidURL`.
    init(scheme: HTTPScheme, host: String, port: Int?) throws(NetworkError) {
        let isBareAddress = !host.hasPrefix("[") && host.utf8.count { $0 == 0x3A } > 1
        try self.init(
            scheme: scheme, host: isBareAddress ? "[\(host)]" : host, port: port, path: "",
            query: nil)
    }

    private init(
        scheme: HTTPScheme, host: String, port: Int?, path: String, query: String?
    ) throws(NetworkError) {
        let host = try URLHost.canonical(host)
        if let port, !Self.ports.contains(port) { throw Self.invalidPort(String(port)) }
        let suffix = port == nil || port == scheme.defaultPort ? "" : ":\(port ?? 0)"
        origin = "\(scheme)://\(host)\(suffix)"
        self.path = path
        self.query = query
    }

    private static let noScheme = NetworkError(
        .invalidURL, "the URL has no scheme; begin it with https:// or http://")

    /// Whether `text` has the form of a scheme (RFC 3986, 3.1).
    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A: true
            default: "+-.".utf8.contains(byte)
            }
        }
    }

    /// 0 can't be connected to.
    private static let ports = 1...65_535

    /// What is no number may be a password, so it is not quoted.
    private static func invalidPort(_ text: String) -> NetworkError {
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) } && !text.isEmpty
        return NetworkError(
            .invalidURL,
            "the URL's port is \(isNumber ? "'\(text)'" : "no number"); it must be from 1 to 65535")
    }

    private static func split(
        _ authority: Substring.UnicodeScalarView
    ) throws(NetworkError) -> (host: String, port: Int?) {
        guard !authority.contains("@") else {
            throw NetworkError(
                .invalidURL, "the URL holds a user name or password; use authentication instead")
        }
        let hostEnd: String.Index
        if authority.first == "[" {
            guard let bracket = authority.firstIndex(of: "]") else {
                throw NetworkError(.invalidURL, "the URL's IPv6 address has no closing bracket")
            }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let host = String(authority[..<hostEnd])
        let after = authority[hostEnd...]
        // A colon without a port is allowed (RFC 3986, 3.2.3).
        guard !after.isEmpty, String(after) != ":" else { return (host, nil) }
        let digits = after.dropFirst()
        guard after.first == ":", digits.allSatisfy({ ("0"..."9").contains($0) }),
            let port = Int(String(digits))
        else { throw invalidPort(String(digits)) }
        return (host, port)
    }

    /// The URL with a path and query items added to its own.
    ///
    /// Exactly one slash stands between the two paths, whoever has it; an empty path adds nothing.
    ///
    /// - Throws: `NetworkError.Code.invalidURL` if the path has a problem.
    func appending(_ path: URLPath, query items: [QueryItem]) throws(NetworkError) -> String {
        if let problem = path.problem { throw NetworkError(.invalidURL, problem) }
        var whole = self.path
        if !path.description.isEmpty {
            if whole.hasSuffix("/") { whole.removeLast() }
            whole += path.description.hasPrefix("/") ? "" : "/"
            whole += path.description
        }
        if whole.isEmpty { whole = "/" }
        let added = items.map(\.inURL).joined(separator: "&")
        let parts = [query, items.isEmpty ? nil : added].compactMap { $0 }.filter { !$0.isEmpty }
        let all = parts.joined(separator: "&")
        return "\(origin)\(whole)\(all.isEmpty ? "" : "?\(all)")"
    }
}
