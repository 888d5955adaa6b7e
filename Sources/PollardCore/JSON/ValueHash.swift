// SPDX-License-Identifier: Apache-2.0

/// Hashes of JSON values under a seed that each process draws anew.
///
/// Without the seed no server can find keys or items that collide. The mixing is a product of
/// 64 by 64 bits, its halves folded together, which is fast on short texts.
struct ValueHash {
    /// The hashes of this process.
    static let shared = ValueHash()

    private let start: UInt64
    private let factor: UInt64
    private let final: UInt64

    private init() {
        // Swift's own hasher is seeded for each process; with SWIFT_DETERMINISTIC_HASHING set,
        // these are too.
        func seed(_ number: Int) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        start = seed(1)
        factor = seed(2) | 1
        final = seed(3) | 1
    }

    /// Adds `word` to `hash`; the order matters.
    @inline(__always)
    func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word ^ start).multipliedFullWidth(by: factor)
        return product.high &+ (product.low ^ (hash &* final))
    }

    /// The hash of the characters of the string `node`, however they are escaped.
    @inline(__always)
    func text(_ node: JSONNode, _ bytes: Span<UInt8>) -> UInt64 {
        guard node.isMarked else { return text(bytes, node.offset, node.length) }
        return textOfEscaped(node, bytes)
    }

    @inline(never)
    private func textOfEscaped(_ node: JSONNode, _ bytes: Span<UInt8>) -> UInt64 {
        let characters = bytes.unescaped(node)
        return text(characters.span, 0, characters.count)
    }

    @inline(__always)
    private func text(_ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> UInt64 {
        var hash = mix(0, UInt64(truncatingIfNeeded: length))
        var done = 0
        while done &+ 8 <= length {
            hash = mix(hash, bytes.word(at: offset &+ done))
            done &+= 8
        }
        return mix(hash, bytes.partialWord(at: offset &+ done, length: length &- done))
    }
}
