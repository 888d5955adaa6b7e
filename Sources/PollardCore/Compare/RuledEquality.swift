// SPDX-License-Identifier: Apache-2.0

extension JSONDifference {
    /// Whether the values at `left` and `right` are equal without what is ignored in them.
    ///
    /// - Parameters:
    ///   - left: An index on the old tape.
    ///   - right: An index on the new tape.
    ///   - place: The place of both.
    /// - Returns: False at the first difference.
    func areEqual(_ left: Int, _ right: Int, _ place: PathMatcher.State) -> Bool {
        if place.isIdle { return equality.areEqual(left, right) }
        let node = old.tape[left]
        let other = new.tape[right]
        guard node.kind == other.kind else { return false }
        switch node.kind {
        case .array:
            return node.length == other.length && areEqualArrays(left, right, place)
        case .object: return areEqualObjects(left, right, place)
        default: return equality.areEqual(left, right)
        }
    }

    private func areEqualArrays(_ left: Int, _ right: Int, _ place: PathMatcher.State) -> Bool {
        var index = left &+ 1
        var other = right &+ 1
        for position in 0..<old.tape[left].length {
            let inner = matcher.ignore.step(place, position: position)
            guard matcher.ignore.isMatch(inner) || areEqual(index, other, inner) else {
                return false
            }
            index = old.tape.after(index)
            other = new.tape.after(other)
        }
        return true
    }

    private func areEqualObjects(_ left: Int, _ right: Int, _ place: PathMatcher.State) -> Bool {
        var pairs = MemberPairs(old: old, left, new: new, right)
        while let pair = pairs.next() {
            let inner =
                pair.new < 0
                ? matcher.ignore.step(place, key: old.tape[pair.old - 1], old.bytes.span)
                : matcher.ignore.step(place, key: new.tape[pair.new - 1], new.bytes.span)
            if matcher.ignore.isMatch(inner) { continue }
            guard pair.old >= 0, pair.new >= 0, areEqual(pair.old, pair.new, inner) else {
                return false
            }
        }
        return true
    }
}
