// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The host of a URL in the one form in which it is sent: ASCII, lower case.
enum URLHost {
    /// The longest label and the longest name, in bytes (RFC 1035, 2.3.4).
    private static let maximumLabelBytes = 63
    private static let maximumNameBytes = 253

    /// A name, an IPv4 address, or an IPv6 address in brackets, as a URL has it.
    ///
    /// Names with letters beyond ASCII become Punycode after lower-casing (IDNA 2008). Characters
    /// that would first have to be normalised are refused, not guessed.
    ///
    /// - Throws: `NetworkError.Code.invalidURL`.
    static func canonical(_ host: String) throws(NetworkError) -> String {
        guard !host.isEmpty else { throw NetworkError(.invalidURL, "the URL names no host") }
        if host.hasPrefix("[") { return try address(host) }
        // The ideographic full stop separates labels too (UTS 46).
        let name = host.lowercased().replacing("\u{3002}", with: ".")
        var labels: [String] = []
        // By scalars: a dot and a combining mark after it are one `Character`.
        for label in name.unicodeScalars.split(
            separator: ".", omittingEmptySubsequences: false)
        {
            labels.append(try self.label(String(label), in: host))
        }
        // One dot at the end names the root.
        let isRooted = labels.count > 1 && labels.last == ""
        guard !labels.dropLast(isRooted ? 1 : 0).contains("") else {
            throw problem(host, "has an empty part between its dots")
        }
        let encoded = labels.joined(separator: ".")
        guard encoded.utf8.count - (isRooted ? 1 : 0) <= maximumNameBytes else {
            throw problem(host, "is longer than \(maximumNameBytes) bytes")
        }
        return encoded
    }

    private static func label(_ label: String, in host: String) throws(NetworkError) -> String {
        for scalar in label.unicodeScalars where !isAllowed(scalar) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            let zeros = String(repeating: "0", count: max(0, 4 - code.count))
            throw problem(host, "has a character that no host name can have (U+\(zeros)\(code))")
        }
        var encoded = label
        if !label.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let punycode = Punycode.encode(label) else {
                throw problem(host, "has a part that is too long")
            }
            encoded = "xn--\(punycode)"
        }
        guard encoded.utf8.count <= maximumLabelBytes else {
            throw problem(host, "has a part longer than \(maximumLabelBytes) bytes")
        }
        return encoded
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x61...0x7A, 0x2D, 0x5F: return true
        case 0..<0x80: return false
        // To be composed first (NFC): combining marks, jamo, kana marks.
        case 0x0300...0x036F, 0x1100...0x11FF, 0x3099...0x309A: return false
        // Folded by NFKC_Casefold, but letters of their own for IDNA 2008 (RFC 5894, 7.2).
        case 0x00DF, 0x03C2: return true
        default: break
        }
        guard !scalar.properties.changesWhenNFKCCaseFolded else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator,
            .lineSeparator, .paragraphSeparator:
            return false
        default:
            return true
        }
    }

    /// An IPv6 address with its brackets, and with its zone if it has one (RFC 6874).
    private static func address(_ host: String) throws(NetworkError) -> String {
        let inside = host.dropFirst().dropLast()
        let parts = inside.split(separator: "%25", maxSplits: 1, omittingEmptySubsequences: false)
        let zoneIsGood = parts.dropFirst().allSatisfy { zone in
            !zone.isEmpty && PercentEncoding.value(String(zone)) == zone
        }
        var address = in6_addr()
        guard host.hasSuffix("]"), zoneIsGood,
            unsafe inet_pton(AF_INET6, String(parts.first ?? ""), &address) == 1
        else { throw problem(host, "is no IPv6 address") }
        // A zone is the name of a network interface, in which the case counts.
        let zone = parts.count > 1 ? "%25\(parts[1])" : ""
        return "[\(parts[0].lowercased())\(zone)]"
    }

    private static func problem(_ host: String, _ what: String) -> NetworkError {
        NetworkError(.invalidURL, "the host '\(host.escaped)' \(what)")
    }
}
