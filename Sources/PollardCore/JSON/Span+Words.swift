// SPDX-License-Identifier: Apache-2.0

/// A byte in each of a word's eight places.
enum BytePattern {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080
    static let quotes: UInt64 = 0x2222_2222_2222_2222
    static let backslashes: UInt64 = 0x5c5c_5c5c_5c5c_5c5c
    static let spaces: UInt64 = 0x2020_2020_2020_2020
}

extension Span<UInt8> {
    /// The eight bytes from `offset` on, the first as the lowest.
    ///
    /// One bounds check and one load: the compiler joins the eight reads.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        let bytes = extracting(offset..<(offset &+ 8))
        return UInt64(bytes[0])
            | UInt64(bytes[1]) << 8
            | UInt64(bytes[2]) << 16
            | UInt64(bytes[3]) << 24
            | UInt64(bytes[4]) << 32
            | UInt64(bytes[5]) << 40
            | UInt64(bytes[6]) << 48
            | UInt64(bytes[7]) << 56
    }

    /// The `length` bytes (at most 8) from `offset` on, the rest of the word zero.
    @inline(__always)
    func partialWord(at offset: Int, length: Int) -> UInt64 {
        if offset &+ 8 <= count {
            return length == 8
                ? word(at: offset)
                : word(at: offset) & ((1 << (UInt64(truncatingIfNeeded: length) &* 8)) &- 1)
        }
        var word: UInt64 = 0
        var index = length
        while index > 0 {
            index &-= 1
            word = word << 8 | UInt64(self[offset &+ index])
        }
        return word
    }

    /// Whether the `length` bytes from `offset` on are those of `other` from `otherOffset` on.
    @inline(__always)
    func matches(_ offset: Int, _ other: Span<UInt8>, _ otherOffset: Int, length: Int) -> Bool {
        var done = 0
        while done &+ 8 <= length {
            guard word(at: offset &+ done) == other.word(at: otherOffset &+ done) else {
                return false
            }
            done &+= 8
        }
        let rest = length &- done
        return partialWord(at: offset &+ done, length: rest)
            == other.partialWord(at: otherOffset &+ done, length: rest)
    }

    /// The offset of the first byte from `offset` on that is no JSON white space.
    @inline(__always)
    func afterWhitespace(_ offset: Int) -> Int {
        var offset = offset
        while offset < count {
            let byte = self[offset]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else {
                break
            }
            offset &+= 1
            while offset &+ 8 <= count, word(at: offset) == BytePattern.spaces { offset &+= 8 }
        }
        return offset
    }
}
