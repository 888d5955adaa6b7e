// SPDX-License-Identifier: Apache-2.0

/// How characters of a text may be escaped; those of HTML within those of JSON, and those of URLs
/// within both.
struct Escapes: OptionSet {
    let rawValue: UInt8

    /// `\/`, `\"`, `\n`, `\u002f` (RFC 8259, 7); in JSON within JSON with more backslashes.
    static let json = Self(rawValue: 1)
    /// `&quot;`, `&#47;`, `&#x2F;`.
    static let html = Self(rawValue: 2)
    /// `%2f` (RFC 3986, 2.1).
    static let percent = Self(rawValue: 4)
    /// Those of HTML and URLs more than once, as in `&amp;#47;` and `%252f`.
    static let nested = Self(rawValue: 8)

    /// What a text may be read with: something else than an escape may look like one.
    static let combinations: [Self] = [
        [.json, .html, .percent, .nested], [.json, .html, .percent], [.json, .html], [.json],
        [.html, .percent], [.html], [],
    ]

    /// Whether an escape may begin with this byte.
    static func mayBegin(with byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "%")
    }
}

/// A character of a text, or a byte of one that is not escaped.
struct EscapedCharacter {
    /// What it means in UTF-8: the first `count` of these.
    private(set) var bytes: SIMD4<UInt8>
    private(set) var count = 1
    /// Where it ends in the text.
    let end: Int

    init(_ byte: UInt8, end: Int) {
        bytes = SIMD4(byte, 0, 0, 0)
        self.end = end
    }

    init(_ scalar: Unicode.Scalar, end: Int) {
        self.init(0, end: end)
        count = 0
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            bytes[count] = byte
            count += 1
        }
    }

    func isByte(_ character: Unicode.Scalar) -> Bool {
        count == 1 && UInt32(bytes[0]) == character.value
    }

    /// Whether `text` goes on with it.
    func continues(_ text: [UInt8], at index: Int) -> Bool {
        guard count <= text.count - index else { return false }
        for offset in 0..<count where text[index + offset] != bytes[offset] { return false }
        return true
    }

    /// The value of the hexadecimal digit that it is.
    fileprivate var digit: UInt8? { count == 1 ? hexadecimalValue(of: bytes[0]) : nil }
}

extension Span<UInt8> {
    /// The most backslashes before an escape that are looked at: JSON four deep has 15.
    private static var maximumBackslashes: Int { 16 }
    /// How often one character is escaped in the same way at most.
    private static func maximumDepth(_ escapes: Escapes) -> Int {
        escapes.contains(.nested) ? 3 : 1
    }
    /// The longest reference that is looked for, in characters: numbers may begin with zeros.
    private static var maximumReference: Int { 32 }

    /// The character at `offset`, which may be escaped in these ways.
    func character(at offset: Int, _ escapes: Escapes) -> EscapedCharacter {
        var character = htmlCharacter(at: offset, escapes)
        guard escapes.contains(.percent) else { return character }
        var depth = 0
        while depth < Self.maximumDepth(escapes), character.isByte("%"), character.end < count {
            let high = htmlCharacter(at: character.end, escapes)
            guard let upper = high.digit, high.end < count else { break }
            let low = htmlCharacter(at: high.end, escapes)
            guard let lower = low.digit else { break }
            character = EscapedCharacter(upper << 4 | lower, end: low.end)
            depth += 1
        }
        return character
    }

    // MARK: - JSON

    /// The end of the backslashes at `offset`, of which there may be none.
    func endOfBackslashes(at offset: Int) -> Int {
        let limit = Swift.min(offset + Self.maximumBackslashes, count)
        var end = offset
        while end < limit, self[end] == UInt8(ascii: "\\") { end += 1 }
        return end
    }

    private func jsonCharacter(at offset: Int, _ escapes: Escapes) -> EscapedCharacter {
        guard self[offset] == UInt8(ascii: "\\"), escapes.contains(.json) else {
            return EscapedCharacter(self[offset], end: offset + 1)
        }
        let end = endOfBackslashes(at: offset)
        return jsonEscape(at: end) ?? EscapedCharacter(UInt8(ascii: "\\"), end: end)
    }

    /// What the letter at `offset` means after a backslash; nil if nothing.
    func jsonEscape(at offset: Int) -> EscapedCharacter? {
        guard offset < count else { return nil }
        let meaning: UInt8
        switch self[offset] {
        case UInt8(ascii: "u"): return unicodeEscape(at: offset)
        case UInt8(ascii: "b"): meaning = 0x08
        case UInt8(ascii: "t"): meaning = 0x09
        case UInt8(ascii: "n"): meaning = 0x0a
        case UInt8(ascii: "f"): meaning = 0x0c
        case UInt8(ascii: "r"): meaning = 0x0d
        case UInt8(ascii: "\""), UInt8(ascii: "/"): meaning = self[offset]
        default: return nil
        }
        return EscapedCharacter(meaning, end: offset + 1)
    }

    private func unicodeEscape(at offset: Int) -> EscapedCharacter? {
        guard let unit = codeUnit(at: offset) else { return nil }
        let end = offset + 5
        if let scalar = Unicode.Scalar(unit) { return EscapedCharacter(scalar, end: end) }
        let next = endOfBackslashes(at: end)
        guard unit < 0xdc00, next > end, let low = codeUnit(at: next), low & 0xfc00 == 0xdc00
        else { return nil }
        let code = 0x1_0000 + (UInt32(unit) & 0x3ff) << 10 + (UInt32(low) & 0x3ff)
        return Unicode.Scalar(code).map { EscapedCharacter($0, end: next + 5) }
    }

    private func codeUnit(at offset: Int) -> UInt16? {
        guard offset + 4 < count, self[offset] == UInt8(ascii: "u") else { return nil }
        var unit: UInt16 = 0
        for index in (offset + 1)...(offset + 4) {
            guard let digit = hexadecimalValue(of: self[index]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    // MARK: - HTML

    private func htmlCharacter(at offset: Int, _ escapes: Escapes) -> EscapedCharacter {
        var character = jsonCharacter(at: offset, escapes)
        guard escapes.contains(.html) else { return character }
        var depth = 0
        while depth < Self.maximumDepth(escapes), character.isByte("&"),
            let meaning = reference(at: character.end, escapes)
        {
            character = meaning
            depth += 1
        }
        return character
    }

    /// The character of the reference whose name or number begins at `offset`.
    private func reference(at offset: Int, _ escapes: Escapes) -> EscapedCharacter? {
        var end = offset
        var word = HTMLReference()
        for _ in 0..<Self.maximumReference {
            guard end < count else { return nil }
            let character = jsonCharacter(at: end, escapes)
            end = character.end
            if character.isByte(";") { return word.meaning.map { EscapedCharacter($0, end: end) } }
            guard character.count == 1, word.append(character.bytes[0]) else { return nil }
        }
        return nil
    }
}
