// SPDX-License-Identifier: Apache-2.0

/// The members of two objects, paired by key.
///
/// Pairs come in the old object's order, then what is only in the new one in its order. As long
/// as both objects have their keys in the same order, nothing is looked up.
struct MemberPairs {
    /// The indices of two values on their tapes; -1 on the side that has no such member.
    struct Pair {
        var old: Int
        var new: Int
    }

    private let old: JSONDocument
    private let new: JSONDocument
    private var nextOld: Int
    private let endOld: Int
    private var nextNew: Int
    private let endNew: Int
    private var lookup: Lookup?

    /// The new object's members that are not paired yet, once the orders differ.
    private struct Lookup {
        var table: HashTable
        /// The keys' indices on the new tape, and whether each is paired.
        var keys: [Int] = []
        var isPaired: [Bool] = []
        /// The next in `keys` to report as only in the new object.
        var nextUnpaired = 0
    }

    init(old: JSONDocument, _ oldObject: Int, new: JSONDocument, _ newObject: Int) {
        self.old = old
        self.new = new
        nextOld = oldObject &+ 1
        endOld = old.tape[oldObject].offset
        nextNew = newObject &+ 1
        endNew = new.tape[newObject].offset
    }

    /// The next pair; nil after the last.
    @inline(__always)
    mutating func next() -> Pair? {
        if lookup == nil, nextOld < endOld, nextNew < endNew,
            old.bytes.span.hasSameText(old.tape[nextOld], new.bytes.span, new.tape[nextNew])
        {
            let pair = Pair(old: nextOld &+ 1, new: nextNew &+ 1)
            nextOld = old.tape.after(pair.old)
            nextNew = new.tape.after(pair.new)
            return pair
        }
        return nextByLookup()
    }

    @inline(never)
    private mutating func nextByLookup() -> Pair? {
        if nextOld == endOld, nextNew == endNew, lookup == nil { return nil }
        var lookup = self.lookup.take() ?? makeLookup()
        defer { self.lookup = consume lookup }
        if nextOld < endOld {
            let key = nextOld
            nextOld = old.tape.after(key &+ 1)
            return Pair(old: key &+ 1, new: find(key, in: &lookup))
        }
        while lookup.nextUnpaired < lookup.keys.count {
            let number = lookup.nextUnpaired
            lookup.nextUnpaired &+= 1
            if !lookup.isPaired[number] { return Pair(old: -1, new: lookup.keys[number] &+ 1) }
        }
        return nil
    }

    private mutating func makeLookup() -> Lookup {
        var keys: [Int] = []
        while nextNew < endNew {
            keys.append(nextNew)
            nextNew = new.tape.after(nextNew &+ 1)
        }
        var table = HashTable(capacity: keys.count)
        for (number, key) in keys.enumerated() {
            var slot = table.firstSlot(for: ValueHash.text(new.tape[key], new.bytes.span))
            while table.entry(at: slot) != nil { slot = table.nextSlot(after: slot) }
            table.insert(number, at: slot)
        }
        return Lookup(
            table: table, keys: keys, isPaired: [Bool](repeating: false, count: keys.count))
    }

    /// The value of the old member `key` in the new object, or -1.
    private func find(_ key: Int, in lookup: inout Lookup) -> Int {
        let node = old.tape[key]
        var slot = lookup.table.firstSlot(for: ValueHash.text(node, old.bytes.span))
        while let number = lookup.table.entry(at: slot) {
            let other = lookup.keys[number]
            if old.bytes.span.hasSameText(node, new.bytes.span, new.tape[other]) {
                lookup.isPaired[number] = true
                return other &+ 1
            }
            slot = lookup.table.nextSlot(after: slot)
        }
        return -1
    }
}
