// SPDX-License-Identifier: Apache-2.0

/// A place in a JSON document (RFC 6901): the keys and indices that lead there.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The steps, not escaped; a list index in decimal.
    package var tokens: [String]

    /// A pointer by its steps, not escaped; no step is the whole document.
    package init(tokens: [String] = []) { self.tokens = tokens }

    /// Parses `text`, as in `/items/0/a~1b`; the empty text is the whole document.
    ///
    /// - Throws: `PathPatternError` for a text that does not begin with a slash or has a `~`
    ///   that is not followed by `0` or `1`.
    package init(_ text: String) throws(PathPatternError) {
        tokens = text.isEmpty ? [] : try Self.tokens(of: text)
    }

    /// The pointer as text, escaped.
    package var description: String { tokens.map { "/" + Self.escape($0) }.joined() }

    /// `token` as it is written in a pointer: `~` as `~0`, `/` as `~1`.
    package static func escape(_ token: String) -> String {
        var text = ""
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The index that `token` (UTF-8) names in an array: decimal without leading zeros; nil if it is none.
    static func position(_ token: [UInt8]) -> Int? {
        guard let first = token.first, token.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            first != UInt8(ascii: "0") || token.count == 1
        else { return nil }
        return Int(String(decoding: token, as: UTF8.self))
    }

    /// The steps of `text`, not escaped, for pointers and patterns.
    static func tokens(of text: String) throws(PathPatternError) -> [String] {
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw PathPatternError(message: "a path begins with '/'")
        }
        var tokens: [String] = []
        var token = ""
        var isEscape = false
        for scalar in text.unicodeScalars.dropFirst() {
            if isEscape {
                switch scalar {
                case "0": token += "~"
                case "1": token += "/"
                default: throw badEscape
                }
                isEscape = false
            } else if scalar == "/" {
                tokens.append(token)
                token = ""
            } else if scalar == "~" {
                isEscape = true
            } else {
                token.unicodeScalars.append(scalar)
            }
        }
        guard !isEscape else { throw badEscape }
        return tokens + [token]
    }

    private static let badEscape = PathPatternError(
        message: "'~' in a path must be written '~0', and '/' inside a key '~1'")
}
