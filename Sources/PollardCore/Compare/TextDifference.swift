// SPDX-License-Identifier: Apache-2.0

/// The lines that differ between two texts.
struct TextDifference {
    /// A line that is only in one of the texts.
    struct Line: Equatable {
        var isAdded: Bool
        /// Counted from 1, in the text that has the line.
        var number: Int
        /// Without the newline.
        var text: String
    }

    /// How much of a line is shown, in characters, before it is cut.
    static let maximumLineLength = 200
    /// What stands for the newline that a text's last line lacks.
    static let missingNewline = "\\ no newline at end"

    /// What was removed and added, in the order of the texts.
    private(set) var lines: [Line] = []

    /// Compares `old` and `new` line by line.
    init(old: String, new: String) {
        let oldLines = TextLines(old)
        let newLines = TextLines(new)
        var numbers = LineNumbers()
        let oldNumbers = numbers.numbers(of: oldLines)
        let newNumbers = numbers.numbers(of: newLines)
        let matching = SequenceMatching(oldNumbers, newNumbers, count: numbers.count)
        var oldIndex = 0
        var newIndex = 0
        while oldIndex < oldNumbers.count || newIndex < newNumbers.count {
            if oldIndex < oldNumbers.count, !matching.isOldMatched[oldIndex] {
                lines.append(oldLines.line(oldIndex, isAdded: false))
                oldIndex += 1
            } else if newIndex < newNumbers.count, !matching.isNewMatched[newIndex] {
                lines.append(newLines.line(newIndex, isAdded: true))
                newIndex += 1
            } else {
                oldIndex += 1
                newIndex += 1
            }
        }
    }

    /// The summary of what differs; nil if nothing does.
    func summary(bounds: DifferenceBounds = .event) -> ChangeSummary? {
        guard !lines.isEmpty else { return nil }
        var summary = ChangeSummary()
        summary.added = lines.count { $0.isAdded }
        summary.removed = lines.count - summary.added
        summary.lines = lines.prefix(bounds.lines).map { line in
            let text = SafeText.line(line.text, maximumLength: Self.maximumLineLength)
            return "\(line.isAdded ? "+" : "-") \(line.number): \(text)"
        }
        summary.furtherLines = lines.count - summary.lines.count
        return summary
    }
}

/// A text cut into lines.
private struct TextLines {
    let bytes: [UInt8]
    /// Where each line is, without its newline.
    private(set) var ranges: [Range<Int>] = []
    /// Whether the last line lacks its newline.
    let isMissingNewline: Bool

    init(_ text: String) {
        bytes = Array(text.utf8)
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            ranges.append(start..<index)
            start = index + 1
        }
        isMissingNewline = start < bytes.count
        if isMissingNewline { ranges.append(start..<bytes.count) }
    }

    /// The line at `index`; the one after the last is the missing newline.
    func line(_ index: Int, isAdded: Bool) -> TextDifference.Line {
        let text =
            index < ranges.count
            ? String(decoding: bytes[ranges[index]], as: UTF8.self)
            : TextDifference.missingNewline
        return TextDifference.Line(
            isAdded: isAdded, number: min(index + 1, ranges.count), text: text)
    }
}

/// Gives equal lines equal numbers.
private struct LineNumbers {
    private var numbers: [ArraySlice<UInt8>: Int32] = [:]
    /// The number of different lines so far, and one for the missing newline.
    var count: Int { numbers.count + 1 }

    /// The numbers of the lines of `text`; 0 at the end stands for a missing newline.
    mutating func numbers(of text: TextLines) -> [Int32] {
        var result: [Int32] = []
        result.reserveCapacity(text.ranges.count + 1)
        for range in text.ranges {
            let next = Int32(numbers.count + 1)
            result.append(numbers.insert(text.bytes[range], next))
        }
        return text.isMissingNewline ? result + [0] : result
    }
}

extension Dictionary {
    /// The value for `key`, which becomes `value` if there is none.
    fileprivate mutating func insert(_ key: Key, _ value: Value) -> Value {
        if let known = self[key] { return known }
        self[key] = value
        return value
    }
}
