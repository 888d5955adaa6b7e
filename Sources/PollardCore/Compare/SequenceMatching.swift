// SPDX-License-Identifier: Apache-2.0

/// Which elements of two sequences are the same: a longest common subsequence, or nearly so.
///
/// Myers' algorithm in linear space ("An O(ND) Difference Algorithm and Its Variations", 1986).
/// Elements are numbers that stand for lines or items.
struct SequenceMatching {
    /// The number of edits up to which a stretch is solved exactly; beyond it, it is cut where
    /// the search got farthest, so that time stays linear in the length.
    static let maximumCost = 256

    /// Whether each element has a partner; in order, the partners are each other's.
    private(set) var isOldMatched: [Bool]
    private(set) var isNewMatched: [Bool]

    /// Matches `old` and `new`, whose elements are at least 0 and below `count`.
    ///
    /// - Parameters:
    ///   - old: The elements before.
    ///   - new: The elements after.
    ///   - count: The number of different elements.
    ///   - maximumCost: At least 2; with less, a search comes nowhere.
    init(_ old: [Int32], _ new: [Int32], count: Int, maximumCost: Int = Self.maximumCost) {
        precondition(maximumCost >= 2)
        isOldMatched = [Bool](repeating: false, count: old.count)
        isNewMatched = [Bool](repeating: false, count: new.count)
        // What occurs on one side only has no partner; without it the rest is shorter.
        let oldPlaces = Self.places(in: old, ofThoseIn: new, count: count)
        let newPlaces = Self.places(in: new, ofThoseIn: old, count: count)
        var search = MiddleSearch(
            old: oldPlaces.map { old[$0] }, new: newPlaces.map { new[$0] },
            maximumCost: maximumCost)
        search.match(0..<oldPlaces.count, 0..<newPlaces.count) { length, oldStart, newStart in
            for index in 0..<length {
                isOldMatched[oldPlaces[oldStart + index]] = true
                isNewMatched[newPlaces[newStart + index]] = true
            }
        }
    }

    private static func places(
        in sequence: [Int32], ofThoseIn other: [Int32], count: Int
    ) -> [Int] {
        var occurs = [Bool](repeating: false, count: count)
        for element in other { occurs[Int(element)] = true }
        return sequence.indices.filter { occurs[Int(sequence[$0])] }
    }
}

/// The search for the middle of a shortest edit script, from both ends at once.
private struct MiddleSearch {
    let old: [Int32]
    let new: [Int32]
    let maximumCost: Int
    /// For each diagonal, how far the search from the start, or from the end, has come.
    private var forward: [Int]
    private var backward: [Int]
    /// The index of diagonal 0.
    private let center: Int

    init(old: [Int32], new: [Int32], maximumCost: Int) {
        self.old = old
        self.new = new
        self.maximumCost = maximumCost
        center = min(maximumCost, old.count + new.count) + 2
        forward = [Int](repeating: 0, count: 2 * center + 1)
        backward = forward
    }

    /// Calls `body` with the length and the two starts of each stretch that is the same.
    mutating func match(
        _ oldRange: Range<Int>, _ newRange: Range<Int>, body: (Int, Int, Int) -> Void
    ) {
        var oldRange = oldRange
        var newRange = newRange
        while true {
            let prefix = zip(old[oldRange], new[newRange]).prefix { $0 == $1 }.count
            if prefix > 0 { body(prefix, oldRange.lowerBound, newRange.lowerBound) }
            oldRange = oldRange.dropFirst(prefix)
            newRange = newRange.dropFirst(prefix)
            let suffix = zip(old[oldRange].reversed(), new[newRange].reversed())
                .prefix { $0 == $1 }.count
            oldRange = oldRange.dropLast(suffix)
            newRange = newRange.dropLast(suffix)
            if suffix > 0 { body(suffix, oldRange.upperBound, newRange.upperBound) }
            if oldRange.isEmpty || newRange.isEmpty { return }
            let (oldMiddle, newMiddle) = middle(oldRange, newRange)
            match(
                oldRange.lowerBound..<oldMiddle, newRange.lowerBound..<newMiddle, body: body)
            oldRange = oldMiddle..<oldRange.upperBound
            newRange = newMiddle..<newRange.upperBound
        }
    }

    /// A point on a shortest path through the stretch, or on a good one if it is too expensive.
    private mutating func middle(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> (Int, Int) {
        let difference = oldRange.count - newRange.count
        forward[center + 1] = 0
        backward[center + 1] = 0
        var cost = 0
        while cost < maximumCost {
            for diagonal in stride(from: -cost, through: cost, by: 2) {
                let end = advance(diagonal, cost, oldRange, newRange)
                let mirror = difference - diagonal
                if difference & 1 != 0, abs(mirror) < cost,
                    isInside(end, diagonal, oldRange, newRange),
                    end + backward[center + mirror] >= oldRange.count
                {
                    return point(end, diagonal, oldRange, newRange)
                }
            }
            for diagonal in stride(from: -cost, through: cost, by: 2) {
                let end = retreat(diagonal, cost, oldRange, newRange)
                let mirror = difference - diagonal
                if difference & 1 == 0, abs(mirror) <= cost,
                    isInside(end, diagonal, oldRange, newRange),
                    end + forward[center + mirror] >= oldRange.count
                {
                    return (
                        oldRange.upperBound - end, newRange.upperBound - (end - diagonal)
                    )
                }
            }
            cost += 1
        }
        return farthest(oldRange, newRange)
    }

    /// Extends the path from the start on `diagonal` by one edit and all that is the same after.
    private mutating func advance(
        _ diagonal: Int, _ cost: Int, _ oldRange: Range<Int>, _ newRange: Range<Int>
    ) -> Int {
        var end = Self.afterEdit(forward, center + diagonal, diagonal, cost)
        var other = end - diagonal
        while end < oldRange.count, other >= 0, other < newRange.count,
            old[oldRange.lowerBound + end] == new[newRange.lowerBound + other]
        {
            end += 1
            other += 1
        }
        forward[center + diagonal] = end
        return end
    }

    /// As `advance`, from the end.
    private mutating func retreat(
        _ diagonal: Int, _ cost: Int, _ oldRange: Range<Int>, _ newRange: Range<Int>
    ) -> Int {
        var end = Self.afterEdit(backward, center + diagonal, diagonal, cost)
        var other = end - diagonal
        while end < oldRange.count, other >= 0, other < newRange.count,
            old[oldRange.upperBound - 1 - end] == new[newRange.upperBound - 1 - other]
        {
            end += 1
            other += 1
        }
        backward[center + diagonal] = end
        return end
    }

    @inline(__always)
    private static func afterEdit(
        _ ends: [Int], _ index: Int, _ diagonal: Int, _ cost: Int
    ) -> Int {
        if diagonal == -cost || (diagonal != cost && ends[index - 1] < ends[index + 1]) {
            return ends[index + 1]
        }
        return ends[index - 1] + 1
    }

    private func isInside(
        _ end: Int, _ diagonal: Int, _ oldRange: Range<Int>, _ newRange: Range<Int>
    ) -> Bool {
        end <= oldRange.count && end - diagonal >= 0 && end - diagonal <= newRange.count
    }

    private func point(
        _ end: Int, _ diagonal: Int, _ oldRange: Range<Int>, _ newRange: Range<Int>
    ) -> (Int, Int) {
        (oldRange.lowerBound + end, newRange.lowerBound + end - diagonal)
    }

    /// The point that the search from the start got farthest to.
    private func farthest(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> (Int, Int) {
        let last = maximumCost - 1
        var best = (end: 0, diagonal: 0)
        for diagonal in stride(from: -last, through: last, by: 2) {
            let end = forward[center + diagonal]
            if isInside(end, diagonal, oldRange, newRange),
                2 * end - diagonal > 2 * best.end - best.diagonal
            {
                best = (end, diagonal)
            }
        }
        return point(best.end, best.diagonal, oldRange, newRange)
    }
}
