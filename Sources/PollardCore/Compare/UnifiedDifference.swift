// SPDX-License-Identifier: Apache-2.0

/// The lines that differ between two texts with those around them, as diff(1) and patch(1) know it.
package struct UnifiedDifference {
    /// The lines that are the same before and after those that differ.
    static let context = 3
    /// What follows a line that is the last of its text and has no newline.
    static let missingNewline = "\\ No newline at end of file\n"

    /// A stretch of lines of which none is in the other text.
    private struct Stretch {
        var old: Range<Int>
        var new: Range<Int>
    }

    private let old: [ArraySlice<UInt8>]
    private let new: [ArraySlice<UInt8>]

    /// Compares `old` and `new` line by line; a last line without a newline is another line.
    package init(old: String, new: String) {
        self.old = Self.lines(of: old)
        self.new = Self.lines(of: new)
    }

    /// All hunks, each line with its newline; empty if nothing differs.
    package var text: String {
        var text: [UInt8] = []
        var rest = stretches()[...]
        while let first = rest.popFirst() {
            var hunk = [first]
            while let last = hunk.last, let next = rest.first,
                next.old.lowerBound - last.old.upperBound <= 2 * Self.context
            {
                hunk.append(next)
                rest.removeFirst()
            }
            append(hunk, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func lines(of text: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(text.utf8)
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(bytes[start...index])
            start = index + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }

    private func stretches() -> [Stretch] {
        var numbers: [ArraySlice<UInt8>: Int32] = [:]
        func number(_ line: ArraySlice<UInt8>) -> Int32 {
            if let known = numbers[line] { return known }
            let next = Int32(numbers.count)
            numbers[line] = next
            return next
        }
        let (oldNumbers, newNumbers) = (old.map(number), new.map(number))
        let matching = SequenceMatching(oldNumbers, newNumbers, count: numbers.count)
        var stretches: [Stretch] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            let (oldStart, newStart) = (left, right)
            while left < old.count, !matching.isOldMatched[left] { left += 1 }
            while right < new.count, !matching.isNewMatched[right] { right += 1 }
            if left > oldStart || right > newStart {
                stretches.append(Stretch(old: oldStart..<left, new: newStart..<right))
            } else {
                // Both are matched, so they are each other's partners.
                left += 1
                right += 1
            }
        }
        return stretches
    }

    private func append(_ hunk: [Stretch], to text: inout [UInt8]) {
        guard let first = hunk.first, let last = hunk.last else { return }
        let before = min(Self.context, first.old.lowerBound)
        let after = min(Self.context, old.count - last.old.upperBound)
        let oldRange = first.old.lowerBound - before..<last.old.upperBound + after
        let newRange = first.new.lowerBound - before..<last.new.upperBound + after
        text += "@@ -\(Self.text(oldRange)) +\(Self.text(newRange)) @@\n".utf8
        var index = oldRange.lowerBound
        for stretch in hunk {
            append(old[index..<stretch.old.lowerBound], " ", to: &text)
            append(old[stretch.old], "-", to: &text)
            append(new[stretch.new], "+", to: &text)
            index = stretch.old.upperBound
        }
        append(old[index..<oldRange.upperBound], " ", to: &text)
    }

    private func append(
        _ lines: ArraySlice<ArraySlice<UInt8>>, _ sign: Unicode.Scalar, to text: inout [UInt8]
    ) {
        for line in lines {
            text.append(UInt8(ascii: sign))
            text += line
            guard line.last != UInt8(ascii: "\n") else { continue }
            text.append(UInt8(ascii: "\n"))
            text += Self.missingNewline.utf8
        }
    }

    /// A range as diff(1) writes it: counted from 1, and an empty one by the line before it.
    private static func text(_ range: Range<Int>) -> String {
        switch range.count {
        case 0: "\(range.lowerBound),0"
        case 1: "\(range.lowerBound + 1)"
        default: "\(range.lowerBound + 1),\(range.count)"
        }
    }
}
