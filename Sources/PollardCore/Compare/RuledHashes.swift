// SPDX-License-Identifier: Apache-2.0

/// The hashes of the values of one document without what is ignored, each computed once.
struct RuledHashes {
    private let document: JSONDocument
    private let ignore: PathMatcher
    private let isRemembering: Bool
    /// For containers, by their index on the tape; 0 where not known yet.
    private var known: [UInt64] = []

    init(_ document: JSONDocument, ignore: PathMatcher, isRemembering: Bool = true) {
        self.document = document
        self.ignore = ignore
        self.isRemembering = isRemembering
    }

    /// Hashes for a few values only, which are not remembered, with nothing ignored.
    init(plain document: JSONDocument) {
        self.init(document, ignore: PathMatcher([]), isRemembering: false)
    }

    /// Equal for values that are equal without what is ignored in them.
    ///
    /// - Parameters:
    ///   - index: The value's index on the tape.
    ///   - place: Its place, which must be the same each time.
    /// - Returns: The hash.
    mutating func hash(_ index: Int, _ place: PathMatcher.State) -> UInt64 {
        let node = document.tape[index]
        switch node.kind {
        case .null: return ValueHash.mix(3, 0)
        case .boolean: return ValueHash.mix(3, node.isMarked ? 2 : 1)
        case .number: return ValueHash.mix(4, JSONNumber.hash(node, document.bytes.span))
        case .string: return ValueHash.text(node, document.bytes.span)
        case .array, .object: break
        }
        guard isRemembering else { return hashOfContainer(index, place) }
        if known.isEmpty { known = [UInt64](repeating: 0, count: document.tape.count) }
        guard known[index] == 0 else { return known[index] }
        let hash = hashOfContainer(index, place)
        known[index] = hash
        return hash
    }

    private mutating func hashOfContainer(_ index: Int, _ place: PathMatcher.State) -> UInt64 {
        document.tape[index].kind == .array
            ? hashOfArray(index, place) : hashOfObject(index, place)
    }

    private mutating func hashOfArray(_ array: Int, _ place: PathMatcher.State) -> UInt64 {
        var hash = ValueHash.mix(5, UInt64(truncatingIfNeeded: document.tape[array].length))
        var index = array &+ 1
        var position = 0
        let end = document.tape[array].offset
        while index < end {
            let inner = ignore.step(place, position: position)
            if !ignore.isMatch(inner) {
                hash = ValueHash.mix(hash, self.hash(index, inner))
            }
            position &+= 1
            index = document.tape.after(index)
        }
        return hash
    }

    private mutating func hashOfObject(_ object: Int, _ place: PathMatcher.State) -> UInt64 {
        // A sum, since the order of members does not matter.
        var sum: UInt64 = 0
        var key = object &+ 1
        let end = document.tape[object].offset
        while key < end {
            let inner = ignore.step(place, key: document.tape[key], document.bytes.span)
            if !ignore.isMatch(inner) {
                let hash = self.hash(key &+ 1, inner)
                let keyHash = ValueHash.text(document.tape[key], document.bytes.span)
                sum &+= ValueHash.mix(ValueHash.mix(6, keyHash), hash)
            }
            key = document.tape.after(key &+ 1)
        }
        return ValueHash.mix(7, sum)
    }
}
