// SPDX-License-Identifier: Apache-2.0

/// The exact value of a JSON number: digits times a power of ten, in one form for each value.
///
/// `1`, `1.0` and `10e-1` are one value; so are `0` and `-0`. No digit is lost, and no exponent
/// too large: memory and time are linear in the text.
struct JSONNumber: Equatable {
    private(set) var isNegative = false
    /// The decimal digits (0 to 9) from the first to the last that is not zero; empty for zero.
    private(set) var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private(set) var exponent = DecimalInteger()

    /// Reads `node`, a number in `bytes`.
    init(_ node: JSONNode, _ bytes: Span<UInt8>) {
        var fractionDigits = 0
        var isFraction = false
        var index = node.offset
        let end = index &+ node.length
        while index < end {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = DecimalInteger(bytes, (index &+ 1)..<end)
                index = end
            default:
                if byte != UInt8(ascii: "0") || !digits.isEmpty {
                    digits.append(byte &- UInt8(ascii: "0"))
                }
                if isFraction { fractionDigits &+= 1 }
            }
            index &+= 1
        }
        let significant = (digits.lastIndex { $0 != 0 } ?? -1) &+ 1
        guard significant > 0 else {
            self = JSONNumber()
            return
        }
        exponent.add(digits.count &- significant &- fractionDigits)
        digits.removeLast(digits.count &- significant)
    }

    private init() {}

    /// Whether two numbers have the same exact value.
    @inline(__always)
    static func areEqual(
        _ node: JSONNode, _ bytes: Span<UInt8>, _ other: JSONNode, _ otherBytes: Span<UInt8>
    ) -> Bool {
        if node.length == other.length,
            bytes.matches(node.offset, otherBytes, other.offset, length: node.length)
        {
            return true
        }
        // Integers without exponent have one form only.
        guard node.isMarked || other.isMarked else { return false }
        return haveEqualValues(node, bytes, other, otherBytes)
    }

    @inline(never)
    private static func haveEqualValues(
        _ node: JSONNode, _ bytes: Span<UInt8>, _ other: JSONNode, _ otherBytes: Span<UInt8>
    ) -> Bool {
        JSONNumber(node, bytes) == JSONNumber(other, otherBytes)
    }

    /// The digits that go into one word of a hash: the most that 64 bits hold.
    private static let digitsOfWord = 18

    /// Equal for numbers of equal value.
    @inline(__always)
    static func hash(_ node: JSONNode, _ bytes: Span<UInt8>) -> UInt64 {
        guard !node.isMarked, node.length <= digitsOfWord else {
            return JSONNumber(node, bytes).hash
        }
        var value: UInt64 = 0
        var index = node.offset
        let end = index &+ node.length
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index &+= 1 }
        while index < end {
            value = value &* 10 &+ UInt64(bytes[index] &- UInt8(ascii: "0"))
            index &+= 1
        }
        var exponent = 0
        while value != 0, value % 10 == 0 {
            value /= 10
            exponent &+= 1
        }
        return ValueHash.mix(hashStart(isNegative, exponent), value)
    }

    private var hash: UInt64 {
        var hash = Self.hashStart(isNegative, exponent.small ?? 0)
        for digit in exponent.large { hash = ValueHash.mix(hash, UInt64(digit)) }
        var index = 0
        repeat {
            var word: UInt64 = 0
            let end = min(index &+ Self.digitsOfWord, digits.count)
            while index < end {
                word = word &* 10 &+ UInt64(digits[index])
                index &+= 1
            }
            hash = ValueHash.mix(hash, word)
        } while index < digits.count
        return hash
    }

    @inline(__always)
    private static func hashStart(_ isNegative: Bool, _ exponent: Int) -> UInt64 {
        ValueHash.mix(isNegative ? 2 : 1, UInt64(bitPattern: Int64(exponent)))
    }
}

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
