// SPDX-License-Identifier: Apache-2.0

/// Finds a key that occurs twice in one object, which RFC 8259 leaves undefined and we refuse.
///
/// The keys of small objects are compared by a signature of eight bytes as they arrive, those of
/// large ones by a seeded hash table when the object closes.
struct JSONKeyCheck {
    /// Up to here comparing each key with all before it is cheaper than a hash table.
    static let maximumLinearKeys = 24

    /// The signatures of the keys of all open objects, the innermost object's last.
    private var signatures: [UInt64] = []

    var count: Int { signatures.count }

    /// Forgets all but the first `count` keys.
    mutating func removeLast(to count: Int) {
        signatures.removeLast(signatures.count &- count)
    }

    /// Notes `key`, which comes after the keys from `first` on in the object at `object`.
    @inline(__always)
    mutating func add(
        _ key: JSONNode, to object: Int, from first: Int, on tape: [JSONNode],
        _ bytes: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let signature = Self.signature(of: key, bytes)
        var index = first
        while index < signatures.count {
            if signatures[index] == signature {
                try Self.compareWithAll(key, in: object, on: tape, bytes)
                break
            }
            index &+= 1
        }
        signatures.append(signature)
    }

    /// Equal for equal keys, however they are escaped; differs for most others.
    @inline(__always)
    private static func signature(of key: JSONNode, _ bytes: Span<UInt8>) -> UInt64 {
        guard !key.isMarked else { return signatureOfEscaped(key, bytes) }
        return signature(bytes, key.offset, key.length)
    }

    @inline(never)
    private static func signatureOfEscaped(_ key: JSONNode, _ bytes: Span<UInt8>) -> UInt64 {
        let text = bytes.unescaped(key)
        return signature(text.span, 0, text.count)
    }

    @inline(__always)
    private static func signature(_ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> UInt64 {
        let sizes = UInt64(truncatingIfNeeded: length) &* 0x9e37_79b9_7f4a_7c15
        guard length > 8 else { return bytes.partialWord(at: offset, length: length) ^ sizes }
        let end = bytes.word(at: offset &+ length &- 8)
        return bytes.word(at: offset) ^ (end << 29 | end >> 35) ^ sizes
    }

    @inline(never)
    private static func compareWithAll(
        _ key: JSONNode, in object: Int, on tape: [JSONNode], _ bytes: Span<UInt8>
    ) throws(JSONSyntaxError) {
        var index = object &+ 1
        while index < tape.count {
            if bytes.hasSameText(tape[index], bytes, key) { throw duplicate(key, bytes) }
            index = tape.after(index &+ 1)
        }
    }

    /// Compares all keys of the closed object at `object`, in time linear in their number.
    @inline(never)
    static func checkMany(
        of object: Int, on tape: [JSONNode], _ bytes: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let node = tape[object]
        var table = HashTable(capacity: node.length)
        var index = object &+ 1
        while index < node.offset {
            let key = tape[index]
            let hash = ValueHash.shared.text(key, bytes)
            var slot = table.firstSlot(for: hash)
            while let other = table.entry(at: slot) {
                if bytes.hasSameText(tape[other], bytes, key) { throw duplicate(key, bytes) }
                slot = table.nextSlot(after: slot)
            }
            table.insert(index, at: slot)
            index = tape.after(index &+ 1)
        }
    }

    private static func duplicate(_ key: JSONNode, _ bytes: Span<UInt8>) -> JSONSyntaxError {
        let text = SafeText.quoted(bytes.unescaped(key), maximumLength: 40)
        return JSONSyntaxError(key.offset &- 1, "duplicate key \(text)")
    }
}
