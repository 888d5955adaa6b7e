// SPDX-License-Identifier: Apache-2.0

/// Checks URLs and paths (RFC 3986, narrowed to what is polled) without changing them.
///
/// No message shows more than one character of them.
enum URLRules {
    /// What a text is used as.
    enum Form {
        /// An absolute http or https URL without userinfo and fragment.
        case absolute
        /// An absolute URL without a query, which paths are appended to.
        case base
        /// What is appended to a base: it begins with a slash.
        case path
    }

    /// Checks that `text` can be used as `form`.
    ///
    /// - Throws: `URLProblem` for the first rule that it breaks.
    static func check(_ text: String, as form: Form) throws(URLProblem) {
        guard form != .path else {
            guard text.hasPrefix("/") else { throw URLProblem("must begin with '/'") }
            return try checkCharacters(of: text)
        }
        let start = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { start.hasPrefix($0) }) else {
            throw URLProblem("must begin with 'http://' or 'https://'")
        }
        try checkCharacters(of: text)
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !"/?".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw URLProblem("must not hold a user name or password", hint: "use 'auth'")
        }
        try check(authority: String(decoding: authority, as: UTF8.self))
        guard form != .base || !text.contains("?") else {
            throw URLProblem("must not have a query", hint: "put it into 'query'")
        }
    }

    /// The URL of `path` below `base`, with one slash in between.
    static func join(base: String, path: String) -> String {
        (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
    }

    private static func checkCharacters(of url: String) throws(URLProblem) {
        guard url.utf8.count <= Bounds.maximumURLBytes else {
            throw URLProblem("is longer than \(Bounds.maximumURLBytes) bytes")
        }
        let bytes = Array(url.utf8)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "#"):
                throw URLProblem(
                    "must not have a fragment", hint: "remove the '#' and what follows it")
            case UInt8(ascii: "%"):
                let digits = bytes.dropFirst(index + 1).prefix(2)
                guard digits.count == 2, digits.allSatisfy(\.isHexadecimalDigit) else {
                    throw URLProblem(
                        "has a '%' without two hexadecimal digits", hint: "write %25 for '%'")
                }
            case 0...0x20, 0x7F:
                throw URLProblem(
                    "must not have spaces or control characters", hint: "write %20 for a space")
            case 0x80...:
                throw URLProblem(
                    "must be ASCII",
                    hint: "write a host name as 'xn--...', other characters as %XX")
            case _ where "\"<>\\^`{|}".utf8.contains(byte):
                throw URLProblem(
                    "must not have the character '\(Character(Unicode.Scalar(byte)))'",
                    hint: "write %\(String(byte, radix: 16, uppercase: true))")
            default: break
            }
        }
    }

    private static func check(authority: String) throws(URLProblem) {
        let host: Substring
        let port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw URLProblem("has an IPv6 address without ']'")
            }
            host = authority[...end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw URLProblem("has something other than a port after ']'")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard isAddress(host.dropFirst().dropLast()) else {
                throw URLProblem("has no IPv6 address between '[' and ']'")
            }
        } else {
            let parts = authority.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            host = parts[0]
            port = parts.count > 1 ? parts[1] : nil
            guard port?.contains(":") != true else {
                throw URLProblem(
                    "has more than one ':' after '//'", hint: "write an IPv6 address in brackets")
            }
            guard !host.isEmpty else { throw URLProblem("has no host") }
            guard host.utf8.allSatisfy(isNameByte) else {
                throw URLProblem(
                    "has a host with other characters than letters, digits, '-', '.' and '_'")
            }
        }
        guard let port else { return }
        guard port.utf8.allSatisfy(\.isDigit), let number = UInt16(port), number > 0 else {
            throw URLProblem("must have a port from 1 to 65535")
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLetter || "-._".utf8.contains(byte)
    }

    /// Looks like an IPv6 address; the transport finds out whether it is one.
    private static func isAddress(_ text: Substring) -> Bool {
        text.utf8.contains(UInt8(ascii: ":"))
            && text.utf8.allSatisfy { $0.isHexadecimalDigit || ":.".utf8.contains($0) }
    }
}
