// SPDX-License-Identifier: Apache-2.0

/// Whether values of two documents mean the same; ends at the first difference.
struct JSONEquality {
    let old: JSONDocument
    let new: JSONDocument

    /// Whether the values at `left` in the old and `right` in the new document are equal.
    func areEqual(_ left: Int, _ right: Int) -> Bool {
        let node = old.tape[left]
        let other = new.tape[right]
        guard node.kind == other.kind else { return false }
        switch node.kind {
        case .null: return true
        case .boolean: return node.isMarked == other.isMarked
        case .number: return JSONNumber.areEqual(node, old.bytes.span, other, new.bytes.span)
        case .string: return old.bytes.span.hasSameText(node, new.bytes.span, other)
        case .array: return node.length == other.length && areEqualArrays(left, right)
        case .object: return node.length == other.length && areEqualObjects(left, right)
        }
    }

    private func areEqualArrays(_ left: Int, _ right: Int) -> Bool {
        var index = left &+ 1
        var other = right &+ 1
        let end = old.tape[left].offset
        while index < end {
            guard areEqual(index, other) else { return false }
            index = old.tape.after(index)
            other = new.tape.after(other)
        }
        return true
    }

    private func areEqualObjects(_ left: Int, _ right: Int) -> Bool {
        var pairs = MemberPairs(old: old, left, new: new, right)
        while let pair = pairs.next() {
            guard pair.old >= 0, pair.new >= 0, areEqual(pair.old, pair.new) else { return false }
        }
        return true
    }
}
