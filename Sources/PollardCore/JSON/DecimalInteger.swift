// SPDX-License-Identifier: Apache-2.0

/// An integer of any size, in one form for each value: the exponents that a server may send.
struct DecimalInteger: Equatable {
    /// The value, if it has at most 18 digits.
    private(set) var small: Int? = 0
    /// The digits (0 to 9) of a larger value, the first not zero.
    private(set) var large: [UInt8] = []
    private(set) var isLargeNegative = false

    private static let digitsOfSmall = 18
    private static let limitOfSmall = 1_000_000_000_000_000_000

    init() {}

    /// Reads an optional sign and decimal digits.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        var digits: [UInt8] = []
        var isNegative = false
        for index in range {
            switch bytes[index] {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "+"): break
            case UInt8(ascii: "0") where digits.isEmpty: break
            case let byte: digits.append(byte &- UInt8(ascii: "0"))
            }
        }
        set(digits, isNegative)
    }

    /// Adds `summand`, whose size is that of a text in memory.
    mutating func add(_ summand: Int) {
        if let small {
            let sum = small + summand
            if abs(sum) < Self.limitOfSmall {
                self.small = sum
            } else {
                set(String(abs(sum)).utf8.map { $0 - UInt8(ascii: "0") }, sum < 0)
            }
            return
        }
        // Larger than any summand, so the sign stays.
        var carry = isLargeNegative ? -summand : summand
        var index = large.count
        while carry != 0, index > 0 {
            index -= 1
            let sum = Int(large[index]) + carry
            let digit = ((sum % 10) + 10) % 10
            large[index] = UInt8(digit)
            carry = (sum - digit) / 10
        }
        if carry > 0 { large.insert(contentsOf: [UInt8(carry)], at: 0) }
        set(Array(large.drop { $0 == 0 }), isLargeNegative)
    }

    private mutating func set(_ digits: [UInt8], _ isNegative: Bool) {
        if digits.count <= Self.digitsOfSmall {
            let value = digits.reduce(0) { $0 * 10 + Int($1) }
            self = DecimalInteger()
            small = isNegative ? -value : value
        } else {
            small = nil
            large = digits
            isLargeNegative = isNegative
        }
    }
}
