// SPDX-License-Identifier: Apache-2.0

/// Which elements of two lists are the same one by id, and which of them have to move.
struct ListMatching {
    /// For each element of the old list, its index in the new one; nil if it is not there.
    private(set) var partners: [Int?]
    /// For each element of the new list, its index in the old one; nil if it is not there.
    private(set) var origins: [Int?]

    /// Matches the n-th occurrence of an id in one list with the n-th in the other.
    init<ID: Hashable>(_ old: [ID], _ new: [ID]) {
        partners = Array(repeating: nil, count: old.count)
        origins = Array(repeating: nil, count: new.count)
        // Of each id the first place in the old list that has no partner yet; of each place, the next.
        var heads: [ID: Int] = [:]
        var following = [Int?](repeating: nil, count: old.count)
        heads.reserveCapacity(old.count)
        for index in old.indices.reversed() {
            following[index] = heads.updateValue(index, forKey: old[index])
        }
        for index in new.indices {
            guard let partner = heads[new[index]] else { continue }
            heads[new[index]] = following[partner]
            partners[partner] = index
            origins[index] = partner
        }
    }

    /// Calls `body` for each move, after all that goes is gone and before what comes has come.
    ///
    /// Elements of a longest increasing subsequence stay. The others follow in the order of the new
    /// list, each to the place behind its predecessor there: the last before it that stays, and
    /// those that were already put behind that one. So a place in the list is a sum of counts.
    ///
    /// - Parameter body: Takes the index in the old list, and the indices to move from and to.
    func forEachMove(_ body: (_ index: Int, _ from: Int, _ to: Int) -> Void) {
        let survivors = partners.indices.filter { partners[$0] != nil }
        let staying = Self.longestIncreasing(survivors.compactMap { partners[$0] })
        guard staying.count < survivors.count else { return }
        var isStaying = [Bool](repeating: false, count: partners.count)
        for place in staying { isStaying[survivors[place]] = true }

        // Slot 0 is the front of the list; slot n + 1 is element n of the old list, if it is still
        // there, and behind it the elements that were moved to it.
        var counts = PrefixSums(count: partners.count + 1)
        for index in survivors { counts.add(1, at: index + 1) }
        var anchor = 0
        for case let index? in origins {
            guard !isStaying[index] else {
                anchor = index + 1
                continue
            }
            let from = counts.sum(below: index + 1)
            counts.add(-1, at: index + 1)
            let to = counts.sum(below: anchor + 1)
            counts.add(1, at: anchor)
            body(index, from, to)
        }
    }

    /// The places of a longest subsequence of numbers that grow, in order; by patience sorting.
    static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // For each length, the place of the smallest number that a subsequence of it ends with.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for place in numbers.indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < numbers[place] {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { previous[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var subsequence: [Int] = []
        var place = ends.last
        while let current = place {
            subsequence.append(current)
            place = previous[current]
        }
        return subsequence.reversed()
    }
}

/// Counts by slot whose sums are quick to ask for and to change: a Fenwick tree.
private struct PrefixSums {
    private var tree: [Int]

    init(count: Int) { tree = Array(repeating: 0, count: count + 1) }

    mutating func add(_ change: Int, at slot: Int) {
        var node = slot + 1
        while node < tree.count {
            tree[node] += change
            node += node & -node
        }
    }

    /// The sum of all slots before `slot`.
    func sum(below slot: Int) -> Int {
        var (node, sum) = (slot, 0)
        while node > 0 {
            sum += tree[node]
            node -= node & -node
        }
        return sum
    }
}
