// SPDX-License-Identifier: Apache-2.0

/// The hashes of the values of one document without what is ignored, each computed once.
struct RuledHashes {
    private let document: JSONDocument
    private let ignore: PathMatcher
    private let hasher = ValueHash.shared
    private let memory: HashMemory?

    init(_ document: JSONDocument, ignore: PathMatcher, isRemembering: Bool = true) {
        self.document = document
        self.ignore = ignore
        memory = isRemembering ? HashMemory() : nil
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
    func hash(_ index: Int, _ place: PathMatcher.State) -> UInt64 {
        if place.isIdle { return plainHash(index) }
        guard document.tape[index].isContainer else { return hashOfScalar(index) }
        if let hash = recall(index) { return hash }
        let hash =
            document.tape[index].kind == .array
            ? hashOfArray(index, place) : hashOfObject(index, place)
        remember(hash, at: index)
        return hash
    }

    /// The hash of a value in which nothing is ignored.
    private func plainHash(_ index: Int) -> UInt64 {
        guard document.tape[index].isContainer else { return hashOfScalar(index) }
        if let hash = recall(index) { return hash }
        let hash =
            document.tape[index].kind == .array
            ? plainHashOfArray(index) : plainHashOfObject(index)
        remember(hash, at: index)
        return hash
    }

    @inline(__always)
    private func recall(_ index: Int) -> UInt64? { memory?.hash(at: index) }

    @inline(__always)
    private func remember(_ hash: UInt64, at index: Int) {
        memory?.set(hash, at: index, capacity: document.tape.count)
    }

    @inline(__always)
    private func hashOfScalar(_ index: Int) -> UInt64 {
        let node = document.tape[index]
        switch node.kind {
        case .number: return hasher.mix(4, JSONNumber.hash(node, document.bytes.span, hasher))
        case .string: return hasher.text(node, document.bytes.span)
        default: return hasher.mix(3, node.isMarked ? 2 : UInt64(node.kind.rawValue))
        }
    }

    private func plainHashOfArray(_ array: Int) -> UInt64 {
        var hash = startOfArray(array)
        var index = array &+ 1
        let end = document.tape[array].offset
        while index < end {
            hash = hasher.mix(hash, plainHash(index))
            index = document.tape.after(index)
        }
        return hash
    }

    private func plainHashOfObject(_ object: Int) -> UInt64 {
        var sum: UInt64 = 0
        var key = object &+ 1
        let end = document.tape[object].offset
        while key < end {
            sum &+= hashOfMember(key, plainHash(key &+ 1))
            key = document.tape.after(key &+ 1)
        }
        return hasher.mix(7, sum)
    }

    private func hashOfArray(_ array: Int, _ place: PathMatcher.State) -> UInt64 {
        var hash = startOfArray(array)
        var index = array &+ 1
        var position = 0
        let end = document.tape[array].offset
        while index < end {
            let inner = ignore.step(place, position: position)
            if !ignore.isMatch(inner) { hash = hasher.mix(hash, self.hash(index, inner)) }
            position &+= 1
            index = document.tape.after(index)
        }
        return hash
    }

    private func hashOfObject(_ object: Int, _ place: PathMatcher.State) -> UInt64 {
        var sum: UInt64 = 0
        var key = object &+ 1
        let end = document.tape[object].offset
        while key < end {
            let inner = ignore.step(place, key: document.tape[key], document.bytes.span)
            if !ignore.isMatch(inner) { sum &+= hashOfMember(key, hash(key &+ 1, inner)) }
            key = document.tape.after(key &+ 1)
        }
        return hasher.mix(7, sum)
    }

    private func startOfArray(_ array: Int) -> UInt64 {
        hasher.mix(5, UInt64(truncatingIfNeeded: document.tape[array].length))
    }

    /// A member's share of its object's hash; shares are added, since the order does not matter.
    @inline(__always)
    private func hashOfMember(_ key: Int, _ value: UInt64) -> UInt64 {
        let keyHash = hasher.text(document.tape[key], document.bytes.span)
        return hasher.mix(hasher.mix(6, keyHash), value)
    }
}

/// The hashes that are known already.
///
/// A class, so that the array has one owner: as a part of a struct that calls itself, it was
/// copied at each write.
private final class HashMemory {
    /// For containers, by their index on the tape; 0 where not known yet.
    private var hashes: [UInt64] = []

    @inline(never)
    func hash(at index: Int) -> UInt64? {
        guard index < hashes.count, hashes[index] != 0 else { return nil }
        return hashes[index]
    }

    @inline(never)
    func set(_ hash: UInt64, at index: Int, capacity: Int) {
        if hashes.isEmpty { hashes = [UInt64](repeating: 0, count: capacity) }
        hashes[index] = hash
    }
}
