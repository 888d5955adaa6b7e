// SPDX-License-Identifier: Apache-2.0

/// Finds what an operator probably meant to write.
enum Spelling {
    /// Longer words are not compared: no key has more than a quarter of this.
    static let maximumLength = 64

    /// Among more words, one is near by chance; also bounds what a file with many of them costs.
    static let maximumCandidates = 200

    /// The hint for `word`, if one of `candidates` is near enough.
    static func hint(for word: String, among candidates: some Collection<String>) -> String? {
        guard candidates.count <= maximumCandidates else { return nil }
        return nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
    }

    private static func nearest(
        to word: String, among candidates: some Collection<String>
    ) -> String? {
        guard !word.isEmpty, word.utf8.count <= maximumLength else { return nil }
        func folded(_ text: String) -> [UInt8] {
            Array(text.lowercased().utf8).filter { $0 != UInt8(ascii: "-") && $0 != 0x5F }
        }
        let letters = folded(word)
        let bound = max(1, letters.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in candidates where candidate.utf8.count <= maximumLength {
            let other = folded(candidate)
            guard abs(other.count - letters.count) <= bound else { continue }
            let distance = distance(from: letters, to: other)
            guard distance <= bound else { continue }
            // Dictionaries have no order: of two that are equally near, take the first by name.
            if let best, (best.distance, best.word) <= (distance, candidate) { continue }
            best = (candidate, distance)
        }
        return best?.word
    }

    /// Insertions, removals, replacements and swaps of neighbours that make one the other.
    static func distance(from left: [UInt8], to right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1)
                cost = min(cost, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}

extension String {
    /// The longest text that a message quotes, in characters.
    static let maximumShownLength = 60

    /// The text as a message may show it: bounded, and without control characters.
    var shown: String {
        var text = ""
        for scalar in unicodeScalars.prefix(Self.maximumShownLength) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.count > Self.maximumShownLength ? "\(text)…" : text
    }

    /// Whether there is a C0 control character or DEL, line breaks included, tab excluded.
    var hasControlCharacters: Bool {
        utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }
}
