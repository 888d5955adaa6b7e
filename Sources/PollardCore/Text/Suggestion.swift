// SPDX-License-Identifier: Apache-2.0

/// Finds what a person probably meant to write.
package enum Suggestion {
    /// The candidate closest to `word`; nil if none is close enough to be a slip of the pen.
    ///
    /// Close is at most one edit in three letters, and always one.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String?
    {
        let limit = max(1, word.count / 3)
        let rated = candidates.map { (candidate: $0, edits: edits(from: word, to: $0)) }
        return rated.filter { $0.edits <= limit }.min { $0.edits < $1.edits }?.candidate
    }

    /// The number of letters to insert, delete, replace or swap with their neighbour
    /// (optimal string alignment).
    static func edits(from source: String, to target: String) -> Int {
        let (source, target) = (Array(source), Array(target))
        var beforeLast: [Int] = []
        var last = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            for column in target.indices {
                let replaced = last[column] + (source[row] == target[column] ? 0 : 1)
                var least = min(last[column + 1] + 1, current[column] + 1, replaced)
                if row > 0, column > 0, source[row] == target[column - 1],
                    source[row - 1] == target[column]
                {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[target.count]
    }
}
