// SPDX-License-Identifier: Apache-2.0

/// A text of which parts may be escaped as in JSON strings, URLs and HTML, and parts be cut.
///
/// Servers choose what they escape: `/` may be `\/`, `%2f` or `&#x2F;`. A string that holds JSON is
/// escaped twice.
struct EscapedText {
    /// How a text may be escaped.
    struct Form {
        /// How often as in JSON.
        let depth: Int
        /// Whether as in URLs or HTML, within that.
        let isWeb: Bool

        /// Whether anything is escaped at all.
        var isEscaped: Bool { depth > 0 || isWeb }

        /// Every form that can make a difference to `text`.
        static func all(of text: String) -> [Form] {
            let hasJSON = text.utf8.contains(UInt8(ascii: "\\"))
            let hasWeb = text.utf8.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "&") }
            let depths = hasJSON ? 0...maximumDepth : 0...0
            return depths.flatMap { depth in
                (hasWeb ? [false, true] : [false]).map { Form(depth: depth, isWeb: $0) }
            }
        }
    }

    /// How often what is looked for may be escaped as in JSON.
    static let maximumDepth = 2
    /// Shorter starts of what is removed are left: they are in many words, and tell little.
    private static let minimumStart = 4

    private let source: [UInt8]
    /// What `source` means, in UTF-8.
    private(set) var bytes: [UInt8]
    /// Where each of `bytes` comes from, and the end of `source`.
    private var origins: [Int]

    /// Takes `text`, which may be escaped like `form`.
    init(_ text: String, _ form: Form) {
        source = Array(text.utf8)
        bytes = source
        origins = Array(0...source.count)
        for _ in 0..<form.depth { unescape(from: UInt8(ascii: "\\"), Self.escape) }
        if form.isWeb {
            unescape(from: UInt8(ascii: "&"), WebEscape.reference)
            unescape(from: UInt8(ascii: "%"), WebEscape.percent)
        }
    }

    /// - Parameters:
    ///   - mark: What escapes begin with.
    ///   - escape: What the escape at an offset means, and its length.
    private mutating func unescape(
        from mark: UInt8, _ escape: (_ bytes: [UInt8], _ offset: Int) -> ([UInt8], Int)?
    ) {
        guard bytes.contains(mark) else { return }
        var meaning: [UInt8] = []
        var places: [Int] = []
        meaning.reserveCapacity(bytes.count)
        places.reserveCapacity(bytes.count + 1)
        var offset = 0
        while offset < bytes.count {
            if bytes[offset] == mark, let (text, length) = escape(bytes, offset) {
                meaning += text
                places += repeatElement(origins[offset], count: text.count)
                offset += length
            } else {
                meaning.append(bytes[offset])
                places.append(origins[offset])
                offset += 1
            }
        }
        (bytes, origins) = (meaning, places + [source.count])
    }

    /// The text with a placeholder for each `needle`, and for a start of it that an ellipsis cuts.
    ///
    /// - Parameters:
    ///   - needle: UTF-8, not escaped; not empty.
    ///   - andStarts: Whether starts are looked for.
    /// - Returns: The text, or nil if there is no such thing in it.
    func remove(_ needle: [UInt8], andStarts: Bool = true) -> String? {
        let ellipsis = Array(SafeText.ellipsis.utf8)
        var result: [UInt8] = []
        var copied = 0
        var offset = 0
        while offset < bytes.count {
            var length = 0
            if holds(needle[...], at: offset) {
                length = needle.count
            } else if andStarts, holds(ellipsis[...], at: offset) {
                let start = startOfNeedle(needle, before: offset)
                // It was copied neither as a part of an earlier match nor as text.
                if let start, origins[start] >= copied {
                    result += source[copied..<origins[start]] + Secret.placeholder.utf8
                    copied = origins[offset]
                }
            }
            if length > 0 {
                result += source[copied..<origins[offset]] + Secret.placeholder.utf8
                copied = origins[offset + length]
            }
            offset += max(1, length)
        }
        guard copied > 0 else { return nil }
        return String(decoding: result + source[copied...], as: UTF8.self)
    }

    private func holds(_ needle: ArraySlice<UInt8>, at offset: Int) -> Bool {
        bytes[offset] == needle.first && bytes[offset...].starts(with: needle)
    }

    /// Where the longest start of `needle` begins that ends at `end`, or at an escape cut there.
    private func startOfNeedle(_ needle: [UInt8], before end: Int) -> Int? {
        // A cut escape is a backslash and at most four characters more.
        let cutEscape = bytes[max(0, end - 5)..<end].lastIndex(of: UInt8(ascii: "\\"))
        for stop in [end, cutEscape].compactMap(\.self) {
            for length in stride(
                from: min(needle.count - 1, stop), to: Self.minimumStart - 1, by: -1)
            where holds(needle.prefix(length), at: stop - length) {
                return stop - length
            }
        }
        return nil
    }

    // MARK: - Escapes

    /// What the escape at `offset` means in UTF-8, and its length; nil if there is none.
    private static func escape(in source: [UInt8], at offset: Int) -> ([UInt8], Int)? {
        guard offset + 1 < source.count else { return nil }
        switch source[offset + 1] {
        case UInt8(ascii: "u"):
            return unicodeEscape(in: source, at: offset).map {
                (Array(String($0.scalar).utf8), $0.length)
            }
        case UInt8(ascii: "n"): return ([0x0a], 2)
        case UInt8(ascii: "r"): return ([0x0d], 2)
        case UInt8(ascii: "t"): return ([0x09], 2)
        case UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"):
            return ([source[offset + 1]], 2)
        default: return nil
        }
    }

    private static func unicodeEscape(
        in source: [UInt8], at offset: Int
    ) -> (scalar: Unicode.Scalar, length: Int)? {
        guard let unit = codeUnit(in: source, at: offset) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard let low = codeUnit(in: source, at: offset + 6), unit < 0xdc00,
            low & 0xfc00 == 0xdc00
        else { return nil }
        let code = 0x1_0000 + (UInt32(unit) & 0x3ff) << 10 + (UInt32(low) & 0x3ff)
        return Unicode.Scalar(code).map { ($0, 12) }
    }

    private static func codeUnit(in source: [UInt8], at offset: Int) -> UInt16? {
        let escape = source.dropFirst(offset).prefix(6)
        guard escape.count == 6, escape.starts(with: "\\u".utf8) else { return nil }
        var unit: UInt16 = 0
        for digit in escape.dropFirst(2) {
            guard let value = hexadecimalValue(of: digit) else { return nil }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }
}
