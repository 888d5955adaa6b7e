// SPDX-License-Identifier: Apache-2.0

/// The name or number of a character as HTML writes it between `&` and `;`, read byte by byte.
///
/// Names are those of ASCII characters that are no letter or digit.
/// https://html.spec.whatwg.org/multipage/named-characters.html
struct HTMLReference {
    private enum Kind { case name, decimal, hexadecimal }

    private var kind = Kind.name
    private var count = 0
    /// The number, or the bytes of the name.
    private var value: UInt64 = 0
    private var hasDigits = false

    /// Takes the next byte.
    ///
    /// - Returns: Whether this can be a reference still.
    mutating func append(_ byte: UInt8) -> Bool {
        defer { count += 1 }
        if count == 0, byte == UInt8(ascii: "#") {
            kind = .decimal
        } else if count == 1, kind == .decimal, byte | 0x20 == UInt8(ascii: "x") {
            kind = .hexadecimal
        } else if kind == .name {
            value = value << 8 | UInt64(byte)
            return count < 8
        } else {
            let base: UInt64 = kind == .decimal ? 10 : 16
            guard let digit = hexadecimalValue(of: byte), digit < base else { return false }
            value = value * base + UInt64(digit)
            hasDigits = true
            return value <= 0x10_ffff
        }
        return true
    }

    /// The character; nil if there is none.
    var meaning: Unicode.Scalar? {
        guard kind == .name else { return hasDigits ? Unicode.Scalar(UInt32(value)) : nil }
        return Self.names[value].map { Unicode.Scalar($0) }
    }

    private static let names: [UInt64: UInt8] = {
        let names: KeyValuePairs<UInt8, String> = [
            0x09: "Tab", 0x0a: "NewLine",
            UInt8(ascii: "!"): "excl", UInt8(ascii: "\""): "quot QUOT", UInt8(ascii: "#"): "num",
            UInt8(ascii: "$"): "dollar", UInt8(ascii: "%"): "percnt",
            UInt8(ascii: "&"): "amp AMP", UInt8(ascii: "'"): "apos", UInt8(ascii: "("): "lpar",
            UInt8(ascii: ")"): "rpar", UInt8(ascii: "*"): "ast midast", UInt8(ascii: "+"): "plus",
            UInt8(ascii: ","): "comma", UInt8(ascii: "."): "period", UInt8(ascii: "/"): "sol",
            UInt8(ascii: ":"): "colon", UInt8(ascii: ";"): "semi", UInt8(ascii: "<"): "lt LT",
            UInt8(ascii: "="): "equals", UInt8(ascii: ">"): "gt GT", UInt8(ascii: "?"): "quest",
            UInt8(ascii: "@"): "commat", UInt8(ascii: "["): "lsqb lbrack",
            UInt8(ascii: "\\"): "bsol", UInt8(ascii: "]"): "rsqb rbrack",
            UInt8(ascii: "^"): "Hat", UInt8(ascii: "_"): "lowbar", UInt8(ascii: "`"): "grave",
            UInt8(ascii: "{"): "lcub lbrace", UInt8(ascii: "|"): "vert verbar",
            UInt8(ascii: "}"): "rcub rbrace",
        ]
        var table: [UInt64: UInt8] = [:]
        for (byte, words) in names {
            for word in words.split(separator: " ") {
                table[word.utf8.reduce(0) { $0 << 8 | UInt64($1) }] = byte
            }
        }
        return table
    }()
}
