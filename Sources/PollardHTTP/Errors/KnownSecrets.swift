// SPDX-License-Identifier: Apache-2.0

/// Finds known secrets in a text, however its author has escaped them.
///
/// A character of a secret may stand for itself, or be written as in a URL (`%2F`), in a form
/// (`+`), in JSON (`\/`, `\u002f`), or in HTML (`&amp;`, `&#47;`).
struct KnownSecrets: Sendable {
    private let secrets: [[Unicode.Scalar]]
    /// What a secret can begin with in a text: the only places that need a closer look.
    private let beginnings: Set<Unicode.Scalar>

    /// Knows these values; empty ones are left out.
    init(_ values: [String]) {
        secrets = Set(values.filter { !$0.isEmpty }).map { Array($0.unicodeScalars) }
            // The longest first: one may be a part of another.
            .sorted { $0.count > $1.count }
        beginnings = Set(secrets.compactMap(\.first)).union(["%", "+", "\\", "&"])
    }

    /// The text with `mark` in place of each secret.
    func replaced(in text: String, with mark: String) -> String {
        guard !secrets.isEmpty else { return text }
        let scalars = Array(text.unicodeScalars)
        var clean = String.UnicodeScalarView()
        var place = 0
        while place < scalars.count {
            if let end = end(in: scalars, at: place) {
                clean.append(contentsOf: mark.unicodeScalars)
                place = end
            } else {
                clean.append(scalars[place])
                place += 1
            }
        }
        return String(clean)
    }

    /// Where a secret ends that begins at `start`; nil if none does.
    private func end(in text: [Unicode.Scalar], at start: Int) -> Int? {
        guard beginnings.contains(text[start]) else { return nil }
        for secret in secrets {
            if let end = Self.end(of: secret, in: text, at: start) { return end }
        }
        return nil
    }

    /// Where this secret ends if it begins at `start`; nil if it doesn't.
    private static func end(
        of secret: [Unicode.Scalar], in text: [Unicode.Scalar], at start: Int
    ) -> Int? {
        // A secret may itself look escaped, so its very letters come first.
        if text[start...].starts(with: secret) { return start + secret.count }
        var place = start
        for scalar in secret {
            guard place < text.count else { return nil }
            if let length = EscapedScalar.length(of: scalar, in: text[place...]) {
                place += length
            } else if text[place] == scalar {
                place += 1
            } else {
                return nil
            }
        }
        return place
    }
}

/// The ways in which a character is escaped.
private enum EscapedScalar {
    /// How many characters at the beginning of `text` are an escaped `scalar`; nil if they aren't.
    static func length(of scalar: Unicode.Scalar, in text: ArraySlice<Unicode.Scalar>) -> Int? {
        switch text.first {
        case "%":
            let bytes = Array(String(scalar).utf8)
            let triplets = text.prefix(bytes.count * 3)
            return decodePercent(triplets) == bytes ? triplets.count : nil
        case "+": return scalar == " " ? 1 : nil
        case "\\": return lengthInJSON(of: scalar, text)
        case "&": return lengthInHTML(of: scalar, text)
        default: return nil
        }
    }

    private static func decodePercent(_ text: ArraySlice<Unicode.Scalar>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while rest.first == "%" {
            guard let byte = number(rest.dropFirst().prefix(2), digits: 2, radix: 16) else {
                return nil
            }
            bytes.append(UInt8(byte))
            rest = rest.dropFirst(3)
        }
        return rest.isEmpty ? bytes : nil
    }

    private static func lengthInJSON(
        of scalar: Unicode.Scalar, _ text: ArraySlice<Unicode.Scalar>
    ) -> Int? {
        let units = Array(String(scalar).utf16)
        guard text.dropFirst().first == "u" else {
            let short: [Unicode.Scalar: Unicode.Scalar] = [
                "\"": "\"", "\\": "\\", "/": "/", "\u{8}": "b", "\u{C}": "f", "\n": "n", "\r": "r",
                "\t": "t",
            ]
            guard let letter = short[scalar], text.dropFirst().first == letter else { return nil }
            return 2
        }
        var rest = text
        for unit in units {
            guard rest.starts(with: ["\\", "u"]),
                number(rest.dropFirst(2).prefix(4), digits: 4, radix: 16) == UInt32(unit)
            else { return nil }
            rest = rest.dropFirst(6)
        }
        return units.count * 6
    }

    private static func lengthInHTML(
        of scalar: Unicode.Scalar, _ text: ArraySlice<Unicode.Scalar>
    ) -> Int? {
        guard let end = text.prefix(longestEntity).firstIndex(of: ";") else { return nil }
        let name = String(String.UnicodeScalarView(text[text.startIndex + 1..<end]))
        let value: UInt32?
        switch name.lowercased() {
        case "amp": value = 0x26
        case "lt": value = 0x3C
        case "gt": value = 0x3E
        case "quot": value = 0x22
        case "apos": value = 0x27
        case let name where name.hasPrefix("#x"): value = UInt32(name.dropFirst(2), radix: 16)
        case let name where name.hasPrefix("#"): value = UInt32(name.dropFirst())
        default: value = nil
        }
        return value == scalar.value ? end - text.startIndex + 1 : nil
    }

    /// As `&#x10FFFF;`, in characters.
    private static let longestEntity = 10

    private static func number(
        _ text: ArraySlice<Unicode.Scalar>, digits: Int, radix: Int
    ) -> UInt32? {
        guard text.count == digits, text.allSatisfy(\.properties.isASCIIHexDigit) else {
            return nil
        }
        return UInt32(String(String.UnicodeScalarView(text)), radix: radix)
    }
}
