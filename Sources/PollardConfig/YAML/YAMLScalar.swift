// SPDX-License-Identifier: Apache-2.0

/// A scalar as written, and what it means by the core schema (YAML 1.2.2, 10.3.2).
///
/// Numbers keep their text: what a request sends is what the operator wrote.
struct YAMLScalar: Sendable, Equatable {
    /// The types of the core schema; those of YAML 1.1 (`yes`, `12:30`, dates) are text.
    enum ScalarType: Sendable, Equatable {
        case null, boolean(Bool), integer, decimal, text

        /// The type's name in a message.
        var kind: String {
            switch self {
            case .null: "nothing"
            case .boolean: "true or false"
            case .integer, .decimal: "a number"
            case .text: "text"
            }
        }
    }

    let text: String
    let type: ScalarType

    /// Takes `text` by the core schema if it is plain; what is quoted is always text.
    init(_ text: String, isPlain: Bool) {
        self.text = text
        type = isPlain ? Self.type(ofPlain: text) : .text
    }

    private static func type(ofPlain text: String) -> ScalarType {
        switch text {
        case "", "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE": .boolean(true)
        case "false", "False", "FALSE": .boolean(false)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
            ".nan", ".NaN", ".NAN":
            .decimal
        default: numberType(of: Array(text.utf8)) ?? .text
        }
    }

    /// Matches `[-+]?[0-9]+`, `0o[0-7]+`, `0x[0-9a-fA-F]+` and
    /// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
    private static func numberType(of bytes: [UInt8]) -> ScalarType? {
        guard let first = bytes.first, first < 0x3A else { return nil }
        if bytes.starts(with: "0o".utf8) {
            let digits = bytes.dropFirst(2)
            return !digits.isEmpty && digits.allSatisfy { (0x30...0x37).contains($0) }
                ? .integer : nil
        }
        if bytes.starts(with: "0x".utf8) {
            let digits = bytes.dropFirst(2)
            return !digits.isEmpty && digits.allSatisfy(\.isHexadecimalDigit) ? .integer : nil
        }
        var rest = bytes[...]
        rest.dropSign()
        let whole = rest.dropDigits()
        if rest.isEmpty { return whole > 0 ? .integer : nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard rest.dropDigits() + whole > 0 else { return nil }
        } else if whole == 0 {
            return nil
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            rest.dropSign()
            guard rest.dropDigits() > 0 else { return nil }
        }
        return rest.isEmpty ? .decimal : nil
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII digit.
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is an ASCII letter.
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// Whether the byte is an ASCII digit or a letter from A to F in either case.
    var isHexadecimalDigit: Bool { isDigit || (0x61...0x66).contains(self | 0x20) }
}

extension ArraySlice<UInt8> {
    /// Removes one leading `+` or `-`.
    fileprivate mutating func dropSign() {
        if first == UInt8(ascii: "+") || first == UInt8(ascii: "-") { removeFirst() }
    }

    /// Removes leading decimal digits and answers how many there were.
    fileprivate mutating func dropDigits() -> Int {
        let before = count
        self = drop(while: \.isDigit)
        return before - count
    }
}
