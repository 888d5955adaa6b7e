// SPDX-License-Identifier: Apache-2.0

extension JSONDifference {
    /// The share of items, as a divisor, that may differ in place before a list is aligned anew.
    private static let inPlaceDivisor = 8

    /// Reports what differs between two lists, by the rule for `place` or else by order.
    mutating func compareLists(_ left: Int, _ right: Int, _ place: Place) {
        if !place.ignore.isIdle {
            let anyItem = matcher.ignore.stepToAnyItem(place.ignore)
            if matcher.ignore.isMatch(anyItem) { return }
        }
        switch matcher.identityRule(place) {
        case .wholeItem:
            compareAsBags(left, right, place)
        case .pointer(let pattern):
            if !compareByIdentity(left, right, place, pattern) {
                compareInOrder(left, right, place)
            }
        case nil:
            compareInOrder(left, right, place)
        }
    }

    /// Compares lists whose order matters and whose items have no identity.
    ///
    /// An item that is inserted or removed does not make the items after it differ: equal items
    /// are aligned first, and what lies between two of them is paired in order.
    private mutating func compareInOrder(_ left: Int, _ right: Int, _ place: Place) {
        if let steps = stepsInPlace(left, right, place) {
            if !steps.isEmpty {
                let items = ListItems(old: old, left, new: new, right)
                apply(steps, items, place)
            }
            return
        }
        let items = ListItems(old: old, left, new: new, right)
        let (prefix, suffix) = equalEnds(items, place)
        var steps: [ListStep] = []
        align(
            items, prefix..<(items.old.count - suffix), prefix..<(items.new.count - suffix),
            place, &steps)
        apply(steps, items, place)
    }

    /// The steps for two lists of one length in which only few items differ from those at the
    /// same position; nil for others.
    private mutating func stepsInPlace(
        _ left: Int, _ right: Int, _ place: Place
    ) -> [ListStep]? {
        let count = old.tape[left].length
        guard count == new.tape[right].length else { return nil }
        let maximum = max(1, count / Self.inPlaceDivisor)
        var differing: [Int] = []
        var index = left &+ 1
        var other = right &+ 1
        for position in 0..<count {
            if !areEqualItems(index, other, old: position, new: position, place) {
                guard differing.count < maximum else { return nil }
                differing.append(position)
            }
            index = old.tape.after(index)
            other = new.tape.after(other)
        }
        return stepsInRuns(differing, left, right, place)
    }

    /// Aligns each run of neighbours among `differing` by itself.
    private mutating func stepsInRuns(
        _ differing: [Int], _ left: Int, _ right: Int, _ place: Place
    ) -> [ListStep] {
        var steps: [ListStep] = []
        var items: ListItems?
        var start = 0
        while start < differing.count {
            var end = start + 1
            while end < differing.count, differing[end] == differing[end - 1] + 1 { end += 1 }
            let range = differing[start]..<(differing[end - 1] + 1)
            if range.count == 1 {
                steps.append(.kept(old: range.lowerBound, new: range.lowerBound))
            } else {
                let all = items ?? ListItems(old: old, left, new: new, right)
                items = all
                align(all, range, range, place, &steps)
            }
            start = end
        }
        return steps
    }

    /// The number of equal items at the start, and at the end, of both lists.
    mutating func equalEnds(_ items: ListItems, _ place: Place) -> (prefix: Int, suffix: Int) {
        let count = min(items.old.count, items.new.count)
        var prefix = 0
        while prefix < count,
            areEqualItems(
                items.old[prefix], items.new[prefix], old: prefix, new: prefix, place)
        {
            prefix += 1
        }
        var suffix = 0
        while suffix < count - prefix {
            let oldPosition = items.old.count - 1 - suffix
            let newPosition = items.new.count - 1 - suffix
            guard
                areEqualItems(
                    items.old[oldPosition], items.new[newPosition], old: oldPosition,
                    new: newPosition, place)
            else { break }
            suffix += 1
        }
        return (prefix, suffix)
    }

    /// Whether two items are equal without what is ignored in them.
    private mutating func areEqualItems(
        _ left: Int, _ right: Int, old oldPosition: Int, new newPosition: Int, _ place: Place
    ) -> Bool {
        let inner = matcher.ignore.step(place.ignore, position: newPosition)
        if matcher.ignore.isMatch(inner) { return true }
        if comparisonBudget < 0 {
            let oldInner = matcher.ignore.step(place.ignore, position: oldPosition)
            guard oldHashes.hash(left, oldInner) == newHashes.hash(right, inner) else {
                return false
            }
        }
        comparisonBudget &-= old.tape.after(left) &- left
        return areEqual(left, right, inner)
    }

    /// Appends the steps that lead from one stretch of the old list to one of the new.
    private mutating func align(
        _ items: ListItems, _ oldRange: Range<Int>, _ newRange: Range<Int>, _ place: Place,
        _ steps: inout [ListStep]
    ) {
        var numbers: [UInt64: Int32] = [:]
        func number(_ hash: UInt64) -> Int32 {
            let next = Int32(numbers.count)
            if let known = numbers[hash] { return known }
            numbers[hash] = next
            return next
        }
        // Where one side is empty there is nothing to match, and no need for hashes.
        let isOneSided = oldRange.isEmpty || newRange.isEmpty
        let oldNumbers = oldRange.map { position in
            let inner = matcher.ignore.step(place.ignore, position: position)
            return isOneSided ? 0 : number(oldHashes.hash(items.old[position], inner))
        }
        let newNumbers = newRange.map { position in
            let inner = matcher.ignore.step(place.ignore, position: position)
            return isOneSided ? 0 : number(newHashes.hash(items.new[position], inner))
        }
        let matching = SequenceMatching(oldNumbers, newNumbers, count: max(1, numbers.count))
        var oldPosition = oldRange.lowerBound
        var newPosition = newRange.lowerBound
        while oldPosition < oldRange.upperBound || newPosition < newRange.upperBound {
            let hasOld =
                oldPosition < oldRange.upperBound
                && !matching.isOldMatched[oldPosition - oldRange.lowerBound]
            let hasNew =
                newPosition < newRange.upperBound
                && !matching.isNewMatched[newPosition - newRange.lowerBound]
            switch (hasOld, hasNew) {
            case (true, false): steps.append(.removed(old: oldPosition))
            case (false, true): steps.append(.added(new: newPosition))
            default: steps.append(.kept(old: oldPosition, new: newPosition))
            }
            if hasOld || !hasNew { oldPosition += 1 }
            if hasNew || !hasOld { newPosition += 1 }
        }
    }
}
