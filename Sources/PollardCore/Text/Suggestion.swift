// SPDX-License-Identifier: Apache-2.0

/// Finds what a person probably meant to write.
package enum Suggestion {
    /// Longer words are not compared, in bytes: no key, command or endpoint's name is longer.
    static let maximumLength = 64
    /// Among more words, a hint is near by chance; also bounds what a file with many of them costs.
    static let maximumCandidates = 200

    /// The hint for `word`, as in `did you mean 'interval'?`, if one of `candidates` is near enough.
    package static func hint(for word: String, among candidates: some Collection<String>) -> String?
    {
        guard candidates.count <= maximumCandidates else { return nil }
        return nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
    }

    /// The candidate closest to `word`; nil if none is close enough to be a slip of the pen.
    ///
    /// Close is at most one edit in three letters, and always one. Case, `-` and `_` do not count.
    package static func nearest(
        to word: String, among candidates: some Collection<String>
    ) -> String? {
        guard !word.isEmpty, word.utf8.count <= maximumLength else { return nil }
        let letters = folded(word)
        let limit = max(1, letters.count / 3)
        var best: (word: String, edits: Int)?
        for candidate in candidates where candidate.utf8.count <= maximumLength {
            let other = folded(candidate)
            guard abs(other.count - letters.count) <= limit else { continue }
            let edits = edits(from: letters, to: other)
            guard edits <= limit else { continue }
            // Dictionaries have no order: of two that are equally near, take the first by name.
            if let best, (best.edits, best.word) <= (edits, candidate) { continue }
            best = (candidate, edits)
        }
        return best?.word
    }

    private static func folded(_ text: String) -> [UInt8] {
        let joints = Array("-_".utf8)
        return text.lowercased().utf8.filter { !joints.contains($0) }
    }

    /// The number of letters to insert, delete, replace or swap with their neighbour
    /// (optimal string alignment).
    private static func edits(from source: [UInt8], to target: [UInt8]) -> Int {
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
