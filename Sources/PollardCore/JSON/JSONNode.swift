// SPDX-License-Identifier: Apache-2.0

/// The kinds of JSON values (RFC 8259, section 3).
package enum JSONKind: UInt8, Sendable, CustomStringConvertible {
    case null, boolean, number, string, array, object

    /// The kind's name as it is written in messages.
    package var description: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

/// One entry of the tape: a value or a key in eight bytes.
///
/// From the highest bit: kind (4), mark (1), length (27), offset (32). For scalars, length and
/// offset give the bytes in the text, a string's without its quotes. For containers, length is the
/// number of items or members, and offset the index on the tape after the last of them. Items
/// follow their array; keys and values follow their object, alternating.
struct JSONNode: Equatable {
    /// The longest length that fits, in bytes; what bounds `JSONDocument.maximumBytes`.
    static let maximumLength = (1 << 27) - 1

    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ kind: JSONKind, isMarked: Bool = false, length: Int, offset: Int) {
        bits =
            UInt64(truncatingIfNeeded: kind.rawValue) << 60
            | (isMarked ? 1 << 59 : 0)
            | UInt64(truncatingIfNeeded: length) << 32
            | UInt64(truncatingIfNeeded: offset)
    }

    @inline(__always)
    var kind: JSONKind { JSONKind(rawValue: UInt8(truncatingIfNeeded: bits >> 60)) ?? .null }

    /// For a string, whether it holds escapes; for a number, whether it may be written otherwise
    /// (it has a fraction or an exponent, or is `-0`); for a boolean, whether it is true.
    @inline(__always)
    var isMarked: Bool { bits & 1 << 59 != 0 }

    @inline(__always)
    var length: Int { Int(truncatingIfNeeded: bits >> 32 & 0x7ff_ffff) }

    @inline(__always)
    var offset: Int { Int(truncatingIfNeeded: bits & 0xffff_ffff) }

    /// Whether it is an array or an object.
    @inline(__always)
    var isContainer: Bool { bits >> 60 >= UInt64(JSONKind.array.rawValue) }

    /// The bytes of a scalar in the text.
    @inline(__always)
    var range: Range<Int> { offset..<(offset &+ length) }
}

extension [JSONNode] {
    /// The index on the tape after the value at `index` and all that is in it.
    @inline(__always)
    func after(_ index: Int) -> Int {
        let node = self[index]
        return node.isContainer ? node.offset : index &+ 1
    }
}
