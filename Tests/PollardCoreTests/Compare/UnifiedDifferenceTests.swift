// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

@Suite struct UnifiedDifferenceTests {
    @Test(arguments: [
        ("", ""), ("a\nb\n", "a\nb\n"), ("a", "a"),
    ])
    func `Equal texts have no hunk`(old: String, new: String) {
        #expect(UnifiedDifference(old: old, new: new).text == "")
    }

    @Test(arguments: [
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
        ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
        ("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
        ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        (
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"
        ),
    ])
    func `Hunks have three lines around what differs`(old: String, new: String, hunks: String) {
        #expect(UnifiedDifference(old: old, new: new).text == hunks)
    }

    @Test func `Stretches are one hunk if at most six equal lines are between them`() {
        let between = (1...7).map { "\($0)\n" }
        func hunks(_ count: Int) -> Int {
            let lines = between.prefix(count).joined()
            let text = UnifiedDifference(old: "a\n\(lines)b\n", new: "c\n\(lines)d\n").text
            return text.split(separator: "\n").count { $0.hasPrefix("@@") }
        }
        #expect(hunks(6) == 1)
        #expect(hunks(7) == 2)
    }

    @Test func `The patch program makes the new text of the old one`() async throws {
        var generator = Generator(seed: 5)
        let directory = try TemporaryDirectory()
        for _ in 0..<40 {
            func text() -> String {
                let lines = (0..<generator.below(30)).map { _ in "line \(generator.below(6))" }
                return lines.joined(separator: "\n") + (generator.below(2) == 0 ? "\n" : "")
            }
            let (old, new) = (text(), text())
            let hunks = UnifiedDifference(old: old, new: new).text
            try directory.write(old, to: "text")
            try directory.write("--- text\n+++ text\n\(hunks)", to: "difference")
            guard !hunks.isEmpty else { continue }
            let run = try await ProgramRun(
                "/usr/bin/patch", ["--quiet", "--fuzz=0", "text", "difference"],
                directory: directory.path)
            #expect(run == ProgramRun(status: 0, output: "", errors: ""))
            // An empty file is removed.
            let result = new.isEmpty ? [] : try directory.read("text")
            #expect(result == Array(new.utf8))
        }
    }
}
