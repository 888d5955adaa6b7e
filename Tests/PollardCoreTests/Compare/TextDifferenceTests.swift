// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

@Suite struct TextDifferenceTests {
    @Test(arguments: [
        ("a\nb\nc\n", "a\nx\nc\n", ["- 2: b", "+ 2: x"]),
        ("a\nb\n", "a\nb\nc\n", ["+ 3: c"]), ("a\nb\n", "b\n", ["- 1: a"]),
        ("", "a\n", ["+ 1: a"]), ("a\n", "", ["- 1: a"]), ("", "\n", ["+ 1: "]),
        ("a", "a\n", ["- 1: \\ no newline at end"]), ("a\n", "a", ["+ 1: \\ no newline at end"]),
        ("a", "b", ["- 1: a", "+ 1: b"]),
        ("a\n", "b", ["- 1: a", "+ 1: b", "+ 1: \\ no newline at end"]),
        ("a\r\n", "a\n", ["- 1: a\\r", "+ 1: a"]),
        ("a\n", "\u{1b}[31m\n", ["- 1: a", "+ 1: \\u001b[31m"]),
        ("1\n2\n3\n4\n", "0\n1\n2\n4\n5\n", ["+ 1: 0", "- 3: 3", "+ 5: 5"]),
    ])
    func `Lines are told with their numbers`(old: String, new: String, lines: [String]) {
        let summary = TextDifference(old: old, new: new).summary()
        #expect(summary?.lines == lines)
        #expect(summary?.added == lines.count { $0.hasPrefix("+") })
        #expect(summary?.removed == lines.count { $0.hasPrefix("-") })
        #expect(summary?.updated == 0)
        #expect(summary?.patch == nil)
        #expect(summary?.isPatchTruncated == false)
    }

    @Test(arguments: ["", "a", "a\n", "a\nb\n\n"])
    func `Equal texts do not differ`(text: String) {
        #expect(TextDifference(old: text, new: text).summary() == nil)
    }

    @Test func `Further lines are counted and long ones cut`() throws {
        let new = (0..<50).map { "\($0)\(String(repeating: "x", count: 300))\n" }.joined()
        let summary = try #require(TextDifference(old: "", new: new).summary())
        #expect(summary.lines.count == 20)
        #expect(summary.furtherLines == 30)
        #expect(summary.added == 50)
        #expect(summary.lines[0] == "+ 1: 0" + String(repeating: "x", count: 199) + "…")
    }

    @Test func `Taking the removed lines out and putting the added in gives the new text`() {
        var generator = Generator(seed: 11)
        for _ in 0..<1_000 {
            func text() -> [String] {
                (0..<generator.below(12)).map { _ in "line \(generator.below(5))" }
            }
            let (old, new) = (text(), text())
            let difference = TextDifference(
                old: old.map { $0 + "\n" }.joined(), new: new.map { $0 + "\n" }.joined())
            var result = old
            for line in difference.lines.reversed() where !line.isAdded {
                #expect(result.remove(at: line.number - 1) == line.text)
            }
            for line in difference.lines where line.isAdded {
                result.insert(line.text, at: line.number - 1)
            }
            #expect(result == new)
        }
    }

    @Test func `Ten thousand lines that all differ take little time`() {
        let old = (0..<10_000).map { "old line \($0)\n" }.joined()
        let new = (0..<10_000).map { "new line \($0)\n" }.joined()
        var summary: ChangeSummary?
        let elapsed = processorTime { summary = TextDifference(old: old, new: new).summary() }
        #expect(summary?.added == 10_000)
        #expect(summary?.removed == 10_000)
        #expect(elapsed < .seconds(10))
    }
}
