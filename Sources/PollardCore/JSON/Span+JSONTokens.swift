// SPDX-License-Identifier: Apache-2.0

/// The tokens of JSON (RFC 8259); each function begins at a token and ends after it.
extension Span<UInt8> {
    /// Reads the string whose opening quote is at `offset`, which is moved past the closing one.
    @inline(__always)
    func scanString(_ offset: inout Int) throws(JSONSyntaxError) -> JSONNode {
        let start = offset &+ 1
        var at = start
        var hasEscapes = false
        while true {
            while at &+ 8 <= count {
                let stops = Self.stringStops(in: word(at: at))
                guard stops == 0 else {
                    at &+= stops.trailingZeroBitCount >> 3
                    break
                }
                at &+= 8
            }
            guard at < count else {
                throw JSONSyntaxError(count, "the text ends inside a string")
            }
            if self[at] == UInt8(ascii: "\"") { break }
            at = try afterSpecialCharacter(at, hasEscapes: &hasEscapes)
        }
        offset = at &+ 1
        return JSONNode(.string, isMarked: hasEscapes, length: at &- start, offset: start)
    }

    /// The high bit of each byte that is a quote, a backslash, a control or not ASCII.
    ///
    /// Exact up to the lowest such byte, which is all that is asked for.
    @inline(__always)
    private static func stringStops(in word: UInt64) -> UInt64 {
        let quotes = word ^ BytePattern.quotes
        let backslashes = word ^ BytePattern.backslashes
        return
            ((quotes &- BytePattern.ones) & ~quotes
            | (backslashes &- BytePattern.ones) & ~backslashes
            | (word &- BytePattern.spaces)
            | word) & BytePattern.highBits
    }

    /// Passes what `scanString` can't take in its stride: an escape, or a run of other characters.
    @inline(never)
    private func afterSpecialCharacter(
        _ offset: Int, hasEscapes: inout Bool
    ) throws(JSONSyntaxError) -> Int {
        let byte = self[offset]
        if byte == UInt8(ascii: "\\") {
            hasEscapes = true
            return try afterEscape(offset)
        }
        guard byte >= 0x20 else {
            throw JSONSyntaxError(offset, "a control character in a string must be escaped")
        }
        guard byte >= 0x80 else { return offset &+ 1 }
        var at = offset
        while at < count, self[at] >= 0x80 {
            guard let next = afterScalar(at) else { throw JSONSyntaxError(at, "invalid UTF-8") }
            at = next
        }
        return at
    }

    private func afterEscape(_ offset: Int) throws(JSONSyntaxError) -> Int {
        guard offset &+ 1 < count else {
            throw JSONSyntaxError(count, "the text ends inside a string")
        }
        switch self[offset &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return offset &+ 2
        case UInt8(ascii: "u"):
            let first = try codeUnit(offset)
            guard UTF16.isSurrogate(first) else { return offset &+ 6 }
            let hasFollower =
                offset &+ 7 < count && self[offset &+ 6] == UInt8(ascii: "\\")
                && self[offset &+ 7] == UInt8(ascii: "u")
            guard UTF16.isLeadSurrogate(first), hasFollower,
                UTF16.isTrailSurrogate(try codeUnit(offset &+ 6))
            else { throw JSONSyntaxError(offset, "lone surrogate") }
            return offset &+ 12
        default:
            throw JSONSyntaxError(offset, "unknown escape")
        }
    }

    /// The code unit of the escape `\uXXXX` at `offset`.
    private func codeUnit(_ offset: Int) throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for index in (offset &+ 2)..<(offset &+ 6) {
            guard index < count else {
                throw JSONSyntaxError(count, "the text ends inside a string")
            }
            guard let digit = hexadecimalValue(of: self[index]) else {
                throw JSONSyntaxError(index, "expected a hexadecimal digit")
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// The offset after the UTF-8 sequence at `offset`; nil if it is not well-formed.
    ///
    /// The ranges are those of Unicode 15, table 3-7: no overlong form, no surrogate.
    func afterScalar(_ offset: Int) -> Int? {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xbf
        switch self[offset] {
        case 0x00...0x7f: return offset &+ 1
        case 0xc2...0xdf: length = 2
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: length = 3
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        case 0xf1...0xf3: length = 4
        default: return nil
        }
        guard offset &+ length <= count, second.contains(self[offset &+ 1]) else { return nil }
        var index = offset &+ 2
        while index < offset &+ length {
            guard UTF8.isContinuation(self[index]) else { return nil }
            index &+= 1
        }
        return offset &+ length
    }

    /// Reads the number at `offset`, which is moved past it.
    @inline(__always)
    func scanNumber(_ offset: inout Int) throws(JSONSyntaxError) -> JSONNode {
        let start = offset
        let isNegative = self[start] == UInt8(ascii: "-")
        let first = isNegative ? start &+ 1 : start
        var at = afterDigits(first)
        guard at > first else { throw JSONSyntaxError(at, "expected a digit") }
        if self[first] == UInt8(ascii: "0"), at &- first > 1 {
            throw JSONSyntaxError(first, "a number must not begin with 0")
        }
        var mayBeWrittenOtherwise = isNegative && self[first] == UInt8(ascii: "0")
        if at < count, self[at] == UInt8(ascii: ".") || self[at] | 0x20 == UInt8(ascii: "e") {
            mayBeWrittenOtherwise = true
            at = try afterFractionAndExponent(at)
        }
        offset = at
        return JSONNode(
            .number, isMarked: mayBeWrittenOtherwise, length: at &- start, offset: start)
    }

    private func afterFractionAndExponent(_ offset: Int) throws(JSONSyntaxError) -> Int {
        var at = offset
        if self[at] == UInt8(ascii: ".") { at = try afterDigitsRequired(at &+ 1) }
        guard at < count, self[at] | 0x20 == UInt8(ascii: "e") else { return at }
        at &+= 1
        if at < count, self[at] == UInt8(ascii: "+") || self[at] == UInt8(ascii: "-") { at &+= 1 }
        return try afterDigitsRequired(at)
    }

    private func afterDigitsRequired(_ offset: Int) throws(JSONSyntaxError) -> Int {
        let end = afterDigits(offset)
        guard end > offset else { throw JSONSyntaxError(offset, "expected a digit") }
        return end
    }

    @inline(__always)
    private func afterDigits(_ offset: Int) -> Int {
        var at = offset
        while at < count, self[at] &- UInt8(ascii: "0") < 10 { at &+= 1 }
        return at
    }

    /// Reads `null`, `true` or `false` at `offset`, which is moved past it.
    @inline(__always)
    func scanLiteral(_ offset: inout Int) throws(JSONSyntaxError) -> JSONNode {
        let start = offset
        if start &+ 4 <= count {
            let word = partialWord(at: start, length: 4)
            if word == 0x6c6c_756e {  // "null", the first byte lowest
                offset = start &+ 4
                return JSONNode(.null, length: 4, offset: start)
            }
            if word == 0x6575_7274 {  // "true"
                offset = start &+ 4
                return JSONNode(.boolean, isMarked: true, length: 4, offset: start)
            }
            if word == 0x736c_6166, start &+ 4 < count, self[start &+ 4] == UInt8(ascii: "e") {
                offset = start &+ 5
                return JSONNode(.boolean, length: 5, offset: start)
            }
        }
        throw JSONSyntaxError(start, "expected a value")
    }
}

/// The value of the hexadecimal digit `byte`; nil if it is none.
func hexadecimalValue(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
