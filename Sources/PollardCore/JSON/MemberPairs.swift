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
    /// Whether the orders differ, so that keys are looked up from here on.
    private var isLookingUp = false
    private var table = HashTable(capacity: 0)
    /// The new object's keys that were not paired when the orders began to differ, by their
    /// indices on the tape, and whether each is paired now.
    private var keys: [Int] = []
    private var isPaired: [Bool] = []
    /// The next in `keys` to report as only in the new object.
    private var nextUnpaired = 0

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
        if !isLookingUp, nextOld < endOld, nextNew < endNew,
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
        if !isLookingUp {
            if nextOld == endOld, nextNew == endNew { return nil }
            fillTable()
        }
        if nextOld < endOld {
            let key = nextOld
            nextOld = old.tape.after(key &+ 1)
            return Pair(old: key &+ 1, new: partner(of: key))
        }
        while nextUnpaired < keys.count {
            let number = nextUnpaired
            nextUnpaired &+= 1
            if !isPaired[number] { return Pair(old: -1, new: keys[number] &+ 1) }
        }
        return nil
    }

    private mutating func fillTable() {
        isLookingUp = true
        while nextNew < endNew {
            keys.append(nextNew)
            nextNew = new.tape.after(nextNew &+ 1)
        }
        isPaired = [Bool](repeating: false, count: keys.count)
        table = HashTable(capacity: keys.count)
        for (number, key) in keys.enumerated() {
            var slot = table.firstSlot(for: ValueHash.shared.text(new.tape[key], new.bytes.span))
            while table.entry(at: slot) != nil { slot = table.nextSlot(after: slot) }
            table.insert(number, at: slot)
        }
    }

    /// The value of the old member `key` in the new object, or -1.
    private mutating func partner(of key: Int) -> Int {
        let node = old.tape[key]
        var slot = table.firstSlot(for: ValueHash.shared.text(node, old.bytes.span))
        while let number = table.entry(at: slot) {
            let other = keys[number]
            if old.bytes.span.hasSameText(node, new.bytes.span, new.tape[other]) {
                isPaired[number] = true
                return other &+ 1
            }
            slot = table.nextSlot(after: slot)
        }
        return -1
    }
}
