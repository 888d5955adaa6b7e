// SPDX-License-Identifier: Apache-2.0

/// A few texts that are looked for together, byte by byte: a combining mark after one, which makes
/// another character of its last, doesn't hide it.
struct BytePatterns: Sendable {
    /// Longer ones first, so that one within another leaves no rest of it.
    let patterns: [[UInt8]]
    /// One bit for each byte that a pattern begins with.
    private var starts = SIMD4<UInt64>()

    /// Looks for `texts`, none of which is empty.
    init(_ texts: Set<String>) {
        patterns = texts.map { Array($0.utf8) }
            .sorted {
                ($0.count, String(decoding: $0, as: UTF8.self))
                    > ($1.count, String(decoding: $1, as: UTF8.self))
            }
        for pattern in patterns {
            if let first = pattern.first { starts[Int(first >> 6)] |= 1 << UInt64(first & 63) }
        }
    }

    var isEmpty: Bool { patterns.isEmpty }

    /// Whether one of the patterns of at least `minimumLength` bytes is in `bytes`.
    func isFound(in bytes: ArraySlice<UInt8>, minimumLength: Int = 1) -> Bool {
        firstMatch(in: bytes, from: bytes.startIndex, minimumLength) != nil
    }

    /// `bytes` with `replacement` for each pattern of at least `minimumLength` bytes.
    ///
    /// - Returns: Nil if there is none.
    func replacing(
        in bytes: ArraySlice<UInt8>, with replacement: String, minimumLength: Int = 1
    ) -> [UInt8]? {
        guard var match = firstMatch(in: bytes, from: bytes.startIndex, minimumLength) else {
            return nil
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var copied = bytes.startIndex
        while true {
            result += bytes[copied..<match.lowerBound]
            result += replacement.utf8
            copied = match.upperBound
            guard let next = firstMatch(in: bytes, from: copied, minimumLength) else { break }
            match = next
        }
        return result + bytes[copied...]
    }

    private func firstMatch(
        in bytes: ArraySlice<UInt8>, from start: Int, _ minimumLength: Int
    ) -> Range<Int>? {
        guard let longest = patterns.first, longest.count >= minimumLength else { return nil }
        let span = bytes.span
        let base = bytes.startIndex
        var offset = start - base
        while offset < span.count {
            let byte = span[offset]
            if starts[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0 {
                for pattern in patterns where pattern.count >= minimumLength {
                    if Self.holds(span, pattern, at: offset) {
                        return (base + offset)..<(base + offset + pattern.count)
                    }
                }
            }
            offset += 1
        }
        return nil
    }

    private static func holds(_ span: Span<UInt8>, _ pattern: [UInt8], at offset: Int) -> Bool {
        guard pattern.count <= span.count - offset else { return false }
        for index in pattern.indices where span[offset + index] != pattern[index] { return false }
        return true
    }
}
