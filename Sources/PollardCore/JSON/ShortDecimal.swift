// SPDX-License-Identifier: Apache-2.0

/// The exact value of a number of few digits without exponent: what nearly all numbers are.
struct ShortDecimal: Equatable {
    /// The most digits, since 64 bits hold any number of so many.
    static let maximumDigits = 18

    private(set) var isNegative = false
    /// All digits as one integer that does not end in zero; 0 for zero.
    private(set) var digits: UInt64 = 0
    /// The power of ten of the last digit.
    private(set) var exponent = 0

    /// Reads `node`, a number in `bytes`; nil if it is longer, or written with an exponent.
    @inline(__always)
    init?(_ node: JSONNode, _ bytes: Span<UInt8>) {
        guard node.length <= Self.maximumDigits else { return nil }
        var point = -1
        var index = node.offset
        let end = index &+ node.length
        while index < end {
            let byte = bytes[index]
            if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
            } else if byte == UInt8(ascii: ".") {
                point = index
            } else if byte == UInt8(ascii: "-") {
                isNegative = true
            } else {
                return nil
            }
            index &+= 1
        }
        guard digits != 0 else {
            isNegative = false
            return
        }
        if point >= 0 { exponent = point &+ 1 &- end }
        while digits % 10 == 0 {
            digits /= 10
            exponent &+= 1
        }
    }
}
