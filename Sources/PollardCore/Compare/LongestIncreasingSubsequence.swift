// SPDX-License-Identifier: Apache-2.0

extension [Int] {
    /// The indices of a longest strictly increasing subsequence, in order.
    ///
    /// By patience sorting, in time n log n.
    func longestIncreasingSubsequence() -> [Int] {
        /// For each length, the index of the smallest element that ends one of that length.
        var ends: [Int] = []
        /// For each element, the index of the one before it.
        var previous = [Int](repeating: -1, count: count)
        for (index, element) in enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if self[ends[middle]] < element { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: [Int] = []
        var index = ends.last ?? -1
        while index >= 0 {
            result.append(index)
            index = previous[index]
        }
        return result.reversed()
    }
}
