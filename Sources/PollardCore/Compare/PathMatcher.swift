// SPDX-License-Identifier: Apache-2.0

/// Follows a set of patterns down a document, all at once.
///
/// Each pattern is a row of bits, one for each of its steps and one for its end; a set bit says
/// that the walk so far may stand before that step. A step down the document is a few operations
/// on words, whatever the patterns are, so that `/**/a/**/b/**/c` costs no more than `/a`.
struct PathMatcher {
    /// Four words of patterns; no pattern lies across two words.
    typealias Bits = SIMD4<UInt64>

    /// Where the walk may stand in each pattern.
    struct State {
        fileprivate var bits = Bits.zero
        /// For more patterns than four words hold.
        fileprivate var further: [Bits] = []

        /// Whether no pattern can match here or anywhere below.
        @inline(__always)
        var isIdle: Bool { bits == .zero && further.allSatisfy { $0 == .zero } }
    }

    /// What the steps of one `Bits` of patterns do.
    private struct Block {
        /// Steps that any key or index passes.
        var any = Bits.zero
        /// Steps that stay, and that may be left out.
        var anyDepth = Bits.zero
        /// The ends of patterns.
        var ends = Bits.zero
        /// For each key in `keys`, the steps that it passes.
        var keys: [Bits] = []
    }

    private var blocks: [Block] = []
    /// The ends of the patterns in their order: block, word, bit.
    private var ends: [(block: Int, word: Int, bit: UInt64)] = []
    /// The keys that patterns name, in UTF-8.
    private var keys: [[UInt8]] = []
    /// Those of `keys` that are list indices.
    private var positions: [(position: Int, key: Int)] = []
    private(set) var start = State()

    /// A matcher of `patterns`; nil matches the whole document.
    init(_ patterns: [PathPattern?]) {
        var word = 0
        var bit = 0
        for pattern in patterns {
            let steps = Self.withoutRepeats(pattern?.steps ?? [])
            if bit + steps.count + 1 > 64 {
                word += 1
                bit = 0
            }
            add(steps, word: word, bit: bit)
            bit += steps.count + 1
        }
        for index in blocks.indices {
            let missing = keys.count - blocks[index].keys.count
            blocks[index].keys += repeatElement(.zero, count: missing)
        }
        start.bits = blocks.first.map { Self.closure(start.bits, $0) } ?? .zero
        for index in start.further.indices {
            start.further[index] = Self.closure(start.further[index], blocks[index + 1])
        }
    }

    /// `**/**` means `**`; without it, one pass of `closure(_:_:)` is enough.
    private static func withoutRepeats(_ steps: [PathPattern.Step]) -> [PathPattern.Step] {
        var result: [PathPattern.Step] = []
        for step in steps where step != .anyDepth || result.last != .anyDepth {
            result.append(step)
        }
        return result
    }

    private mutating func add(_ steps: [PathPattern.Step], word: Int, bit: Int) {
        let (block, lane) = word.quotientAndRemainder(dividingBy: 4)
        if block == blocks.count {
            blocks.append(Block())
            if block > 0 { start.further.append(.zero) }
        }
        let first = UInt64(1) << UInt64(bit)
        if block == 0 {
            start.bits[lane] |= first
        } else {
            start.further[block - 1][lane] |= first
        }
        for (offset, step) in steps.enumerated() {
            let mask = first << UInt64(offset)
            switch step {
            case .any: blocks[block].any[lane] |= mask
            case .anyDepth: blocks[block].anyDepth[lane] |= mask
            case .key(let key): addKey(key, mask, block: block, lane: lane)
            }
        }
        let end = first << UInt64(steps.count)
        blocks[block].ends[lane] |= end
        ends.append((block, lane, end))
    }

    private mutating func addKey(_ key: String, _ mask: UInt64, block: Int, lane: Int) {
        let bytes = Array(key.utf8)
        let number = keys.firstIndex(of: bytes) ?? keys.count
        if number == keys.count {
            keys.append(bytes)
            if let position = JSONPointer.position(bytes) { positions.append((position, number)) }
        }
        let missing = number + 1 - blocks[block].keys.count
        if missing > 0 { blocks[block].keys += repeatElement(.zero, count: missing) }
        blocks[block].keys[number][lane] |= mask
    }

    /// The state after the step from `state` to the member whose key is `key` in `bytes`.
    @inline(__always)
    func step(_ state: State, key: JSONNode, _ bytes: Span<UInt8>) -> State {
        state.isIdle ? state : advance(state, keyNumber(key, bytes))
    }

    /// The state after the step from `state` to the item at `position`.
    @inline(__always)
    func step(_ state: State, position: Int) -> State {
        guard !state.isIdle else { return state }
        return advance(state, positions.first { $0.position == position }?.key)
    }

    /// The state after the step from `state` to an item whose position no pattern names.
    @inline(__always)
    func stepToAnyItem(_ state: State) -> State {
        state.isIdle ? state : advance(state, nil)
    }

    /// Whether some pattern matches the place of `state`.
    @inline(__always)
    func isMatch(_ state: State) -> Bool {
        !state.isIdle && match(state) != nil
    }

    /// The number of the first pattern that matches the place of `state`.
    func match(_ state: State) -> Int? {
        ends.firstIndex { end in
            let bits = end.block == 0 ? state.bits : state.further[end.block - 1]
            return bits[end.word] & end.bit != 0
        }
    }

    private func keyNumber(_ key: JSONNode, _ bytes: Span<UInt8>) -> Int? {
        for number in keys.indices where bytes.holds(keys[number], key) { return number }
        return nil
    }

    private func advance(_ state: State, _ key: Int?) -> State {
        var next = State()
        next.bits = Self.advance(state.bits, blocks[0], key)
        for (index, bits) in state.further.enumerated() {
            next.further.append(Self.advance(bits, blocks[index + 1], key))
        }
        return next
    }

    private static func advance(_ bits: Bits, _ block: Block, _ key: Int?) -> Bits {
        var passing = bits & block.any
        if let key { passing |= bits & block.keys[key] }
        return closure((passing &<< 1) | (bits & block.anyDepth), block)
    }

    /// Adds what is reached by taking no step for a `**`.
    private static func closure(_ bits: Bits, _ block: Block) -> Bits {
        bits | ((bits & block.anyDepth) &<< 1)
    }
}
