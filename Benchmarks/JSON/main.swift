// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import PollardCore

/// Parsing and comparing JSON beside Foundation, in one run, interleaved.
///
/// Usage: `json-benchmark [rounds]`.
let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9

print(row("document", "what", "CPU ms", "MB/s"))
print(row("---", "---", "---", "---"))
for (name, items, repeats) in [("20 kB", 95, 200), ("10 MB", 46_000, 1)] {
    try measure(name, SampleDocument(items: items), repeats: repeats)
}

/// Times everything on one document, round by round, and prints the medians.
func measure(_ name: String, _ document: SampleDocument, repeats: Int) throws {
    let oldText = document.text()
    let newText = document.text(changing: 100)
    let old = SnapshotContent.json(try JSONValue(parsing: oldText))
    let same = SnapshotContent.json(try JSONValue(parsing: oldText))
    let changed = SnapshotContent.json(try JSONValue(parsing: newText))
    let inserted = SnapshotContent.json(
        try JSONValue(parsing: document.text(changing: 100, insertingFirst: true)))
    let plain = ComparisonRules()
    var byID = ComparisonRules()
    byID.identity = [
        IdentityRule(
            list: try PathPattern("/items"), identity: .pointer(try PathPattern("/id")))
    ]
    var ignoring = ComparisonRules()
    ignoring.ignore = try (0..<10).map { try PathPattern("/**/field\($0)/*/value") }
    let data = Data(newText)

    func differences(_ new: SnapshotContent, _ rules: ComparisonRules) -> Int {
        new.difference(from: old, rules: rules)?.updated ?? 0
    }
    let cases: [(String, () throws -> Int)] = [
        ("parse", { try JSONDocument(parsing: newText).root.count }),
        ("compare: equal", { differences(same, plain) }),
        ("compare: 1% of items changed", { differences(changed, plain) }),
        ("compare: and one inserted first", { differences(inserted, plain) }),
        ("compare: the same by identity", { differences(inserted, byID) }),
        ("compare: equal, ten patterns with `**`", { differences(same, ignoring) }),
        (
            "parse + compare: 1% of items changed",
            {
                differences(.json(try JSONValue(parsing: newText)), plain)
            }
        ),
        (
            "Foundation's JSONSerialization: parse",
            {
                (try JSONSerialization.jsonObject(with: data) as? [String: Any])?.count ?? 0
            }
        ),
    ]
    var times = [[Double]](repeating: [], count: cases.count)
    for _ in 0..<rounds {
        for (index, entry) in cases.enumerated() {
            times[index].append(try time(repeats, entry.1))
        }
    }
    let megabytes = Double(oldText.count) / 1e6
    for (index, entry) in cases.enumerated() {
        let seconds = median(times[index])
        print(row(name, entry.0, number(seconds * 1e3), number(megabytes / seconds)))
    }
    let ratio = median(times[cases.count - 1]) / median(times[cases.count - 2])
    print(row(name, "Foundation's parse / (parse + compare)", "", "\(number(ratio)) x"))
}

/// The CPU seconds that one run of `work` takes, over `repeats` runs.
///
/// Processor time, so that other work on the machine matters less.
func time(_ repeats: Int, _ work: () throws -> Int) rethrows -> Double {
    let start = clock()
    for _ in 0..<repeats { withExtendedLifetime(try work()) {} }
    // POSIX: a million ticks a second.
    return Double(clock() - start) / 1e6 / Double(repeats)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func number(_ value: Double) -> String { String(format: value < 10 ? "%.3f" : "%.1f", value) }

func row(_ cells: String...) -> String { "| " + cells.joined(separator: " | ") + " |" }
