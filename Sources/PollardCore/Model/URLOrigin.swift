// SPDX-License-Identifier: Apache-2.0

/// Whom requests to a URL go to: scheme, host and port (RFC 9110, 4.3.1).
package struct URLOrigin: Sendable, Hashable, Comparable {
    /// In lower case; empty if the text is no absolute URL.
    package let scheme: String
    /// In lower case, without the dot that a name may end in; an IPv6 address is in brackets.
    package let host: String
    /// The port, also where the URL leaves it out; nil if it says something else than a number.
    package let port: Int?

    /// Reads the start of an absolute URL without userinfo, as configurations have them.
    package init(of url: String) {
        let slashes = url.firstRange(of: "://")
        scheme = slashes.map { url[..<$0.lowerBound].lowercased() } ?? ""
        let rest = slashes.map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { !"/?#".contains($0) }
        // An IPv6 address is in brackets, which hold colons too (RFC 3986, 3.2.2).
        let afterAddress =
            authority.first == "["
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : nil
        let colon = authority[(afterAddress ?? authority.startIndex)...].firstIndex(of: ":")
        let name = authority[..<(colon ?? authority.endIndex)].lowercased()
        host = name.hasSuffix(".") ? String(name.dropLast()) : name
        let digits = colon.map { authority[authority.index(after: $0)...] } ?? ""
        port = digits.isEmpty ? (scheme == "https" ? 443 : 80) : Int(digits)
    }

    /// Host and port, as in `example.org:443`.
    package var authority: String { host + (port.map { ":\($0)" } ?? "") }

    package static func < (left: URLOrigin, right: URLOrigin) -> Bool {
        (left.host, left.port ?? 0, left.scheme) < (right.host, right.port ?? 0, right.scheme)
    }

    /// Whether the host is this machine by its very name: `localhost` (RFC 6761, 6.3),
    /// 127.0.0.0/8 or ::1 (RFC 6890).
    package var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        guard host.hasPrefix("[") else {
            return host.hasPrefix("127.")
                && host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        }
        let groups = host.dropFirst().dropLast().split(
            separator: ":", omittingEmptySubsequences: false)
        return groups.last.flatMap { UInt16($0, radix: 16) } == 1
            && groups.dropLast().allSatisfy { $0.isEmpty || UInt16($0, radix: 16) == 0 }
    }
}
