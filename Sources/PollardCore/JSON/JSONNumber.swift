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
        if let left = ShortDecimal(node, bytes), let right = ShortDecimal(other, otherBytes) {
            return left == right
        }
        return JSONNumber(node, bytes) == JSONNumber(other, otherBytes)
    }

    /// Equal for numbers of equal value.
    @inline(__always)
    static func hash(_ node: JSONNode, _ bytes: Span<UInt8>, _ hash: ValueHash) -> UInt64 {
        if let short = ShortDecimal(node, bytes) {
            let start = hashStart(short.isNegative, short.exponent, hash)
            return hash.mix(start, short.digits)
        }
        return JSONNumber(node, bytes).hash(hash)
    }

    private func hash(_ hasher: ValueHash) -> UInt64 {
        var hash = Self.hashStart(isNegative, exponent.small ?? 0, hasher)
        for digit in exponent.large { hash = hasher.mix(hash, UInt64(digit)) }
        var index = 0
        repeat {
            var word: UInt64 = 0
            let end = min(index &+ ShortDecimal.maximumDigits, digits.count)
            while index < end {
                word = word &* 10 &+ UInt64(digits[index])
                index &+= 1
            }
            hash = hasher.mix(hash, word)
        } while index < digits.count
        return hash
    }

    @inline(__always)
    private static func hashStart(
        _ isNegative: Bool, _ exponent: Int, _ hash: ValueHash
    ) -> UInt64 {
        hash.mix(isNegative ? 2 : 1, UInt64(bitPattern: Int64(exponent)))
    }
}
