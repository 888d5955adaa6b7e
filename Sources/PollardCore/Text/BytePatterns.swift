// SPDX-License-Identifier: Apache-2.0

/// A few texts that are looked for together, in one pass and without a copy, also where characters
/// of them are escaped.
///
/// Byte by byte: a combining mark after one, which makes another character of its last, doesn't
/// hide it.
struct BytePatterns: Sendable {
    /// Shorter starts that an ellipsis cuts are left: they are in many words, and tell little.
    private static let minimumStart = 4

    /// Longer ones first, so that one within another leaves no rest of it.
    let patterns: [[UInt8]]
    /// One bit for each byte that a pattern begins with.
    private var starts = SIMD4<UInt64>()
    /// One bit for each byte that a pattern may begin with, escaped or not.
    private var candidates = SIMD4<UInt64>()

    /// Looks for `texts`, none of which is empty.
    init(_ texts: Set<String>) {
        patterns = texts.map { Array($0.utf8) }
            .sorted {
                ($0.count, String(decoding: $0, as: UTF8.self))
                    > ($1.count, String(decoding: $1, as: UTF8.self))
            }
        for first in patterns.compactMap(\.first) { Self.insert(first, into: &starts) }
        candidates = starts
        for byte in UInt8.min...UInt8.max where Escapes.mayBegin(with: byte) {
            Self.insert(byte, into: &candidates)
        }
    }

    private static func insert(_ byte: UInt8, into set: inout SIMD4<UInt64>) {
        set[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    private static func contains(_ set: SIMD4<UInt64>, _ byte: UInt8) -> Bool {
        set[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
    }

    var isEmpty: Bool { patterns.isEmpty }

    /// Whether one of the patterns of at least `minimumLength` bytes is in `bytes`.
    func isFound(in bytes: ArraySlice<UInt8>, minimumLength: Int = 1) -> Bool {
        firstMatch(in: bytes, from: bytes.startIndex, minimumLength, andStarts: false) != nil
    }

    /// `bytes` with `replacement` for each pattern of at least `minimumLength` bytes.
    ///
    /// - Parameters:
    ///   - bytes: What to look through.
    ///   - replacement: What stands there instead.
    ///   - minimumLength: The shortest pattern that is looked for.
    ///   - andStarts: Whether to replace also the first bytes of one that an ellipsis cuts.
    /// - Returns: Nil if there is none.
    func replacing(
        in bytes: ArraySlice<UInt8>, with replacement: String, minimumLength: Int = 1,
        andStarts: Bool = false
    ) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = bytes.startIndex
        while let match = firstMatch(in: bytes, from: copied, minimumLength, andStarts: andStarts) {
            if result.isEmpty { result.reserveCapacity(bytes.count) }
            result += bytes[copied..<match.lowerBound]
            result += replacement.utf8
            copied = match.upperBound
        }
        return copied == bytes.startIndex ? nil : result + bytes[copied...]
    }

    private func firstMatch(
        in bytes: ArraySlice<UInt8>, from start: Int, _ minimumLength: Int, andStarts: Bool
    ) -> Range<Int>? {
        guard let longest = patterns.first, longest.count >= minimumLength else { return nil }
        let span = bytes.span
        let base = bytes.startIndex
        let candidates = candidates
        var offset = start - base
        while offset < span.count {
            if Self.contains(candidates, span[offset]),
                let end = matchEnd(in: span, at: offset, minimumLength, andStarts: andStarts)
            {
                return (base + offset)..<(base + end)
            }
            offset += 1
        }
        return nil
    }

    /// Where a pattern ends that begins at `offset`; nil if none does.
    private func matchEnd(
        in span: Span<UInt8>, at offset: Int, _ minimumLength: Int, andStarts: Bool
    ) -> Int? {
        guard Self.contains(starts, span[offset]) || mayBegin(in: span, at: offset) else {
            return nil
        }
        var cutEnd: Int?
        for pattern in patterns where pattern.count >= minimumLength {
            for escapes in Escapes.combinations {
                var match = PatternMatch(pattern, escapes, at: offset)
                if match.isWhole(in: span) { return match.place }
                if andStarts, match.index >= Self.minimumStart, cutEnd == nil {
                    cutEnd = Self.cutEnd(in: span, at: match.place)
                }
                // Read in another way, the text would be the same.
                if !match.hasMetEscape { break }
            }
        }
        return cutEnd
    }

    /// Whether what is escaped at `offset` may begin a pattern.
    private func mayBegin(in span: Span<UInt8>, at offset: Int) -> Bool {
        for escapes in Escapes.combinations {
            let character = span.character(at: offset, escapes)
            if Self.contains(starts, character.bytes[0]) { return true }
        }
        return false
    }

    // MARK: - Texts that were cut

    /// Where the text is cut by an ellipsis at `offset`, or within an escape there.
    private static func cutEnd(in span: Span<UInt8>, at offset: Int) -> Int? {
        var end = offset
        // An escape as in JSON may be a pair.
        for _ in 0..<2 where !holdsEllipsis(span, at: end) {
            let letter = span.endOfBackslashes(at: end)
            guard letter > end else { return nil }
            end = letter
            guard end < span.count, span[end] == UInt8(ascii: "u") else { continue }
            end += 1
            let limit = min(end + 4, span.count)
            while end < limit, hexadecimalValue(of: span[end]) != nil { end += 1 }
        }
        return holdsEllipsis(span, at: end) ? end : nil
    }

    private static func holdsEllipsis(_ span: Span<UInt8>, at offset: Int) -> Bool {
        var end = offset
        for byte in SafeText.ellipsis.utf8 {
            guard end < span.count, span[end] == byte else { return false }
            end += 1
        }
        return true
    }
}

/// An attempt to find a pattern at one place of a text.
private struct PatternMatch {
    private let pattern: [UInt8]
    private let escapes: Escapes
    /// How far the text is read.
    private(set) var place: Int
    /// How much of the pattern was found.
    private(set) var index = 0
    /// Whether something looked like an escape.
    private(set) var hasMetEscape = false

    init(_ pattern: [UInt8], _ escapes: Escapes, at place: Int) {
        self.pattern = pattern
        self.escapes = escapes
        self.place = place
    }

    /// Whether the whole pattern is there; it ends at `place` then.
    mutating func isWhole(in span: Span<UInt8>) -> Bool {
        while index < pattern.count {
            guard place < span.count else { return false }
            let byte = span[place]
            if Escapes.mayBegin(with: byte) {
                hasMetEscape = true
                guard readEscape(in: span) else { return false }
            } else {
                guard byte == pattern[index] else { return false }
                index += 1
                place += 1
            }
        }
        return true
    }

    private mutating func readEscape(in span: Span<UInt8>) -> Bool {
        let backslash = UInt8(ascii: "\\")
        if span[place] == backslash, pattern[index] == backslash, escapes.contains(.json) {
            return readBackslashes(in: span)
        }
        let character = span.character(at: place, escapes)
        guard character.continues(pattern, at: index) else { return false }
        index += character.count
        place = character.end
        return true
    }

    /// Reads the backslashes of the pattern, of which each may be several in the text; the last of
    /// those may also escape the next character.
    private mutating func readBackslashes(in span: Span<UInt8>) -> Bool {
        let end = span.endOfBackslashes(at: place)
        let wanted = pattern[index...].prefix { $0 == UInt8(ascii: "\\") }.count
        guard wanted <= end - place else { return false }
        let mayEscape = wanted < end - place
        index += wanted
        place = end
        if mayEscape, let next = span.jsonEscape(at: end), next.continues(pattern, at: index) {
            index += next.count
            place = next.end
        }
        return true
    }
}
