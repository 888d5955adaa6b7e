// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore

/// Parsing and comparing JSON beside Foundation, in one run, interleaved.
///
/// Usage: `json-benchmark [rounds]`.
let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9

print(row("document", "what", "ms", "MB/s"))
print(row("---", "---", "---", "---"))
for (name, items, repeats) in [("20 kB", 95, 200), ("10 MB", 46_000, 1)] {
    try measure(name, SampleDocument(items: items), repeats: repeats)
}

/// Times everything on one document, round by round, and prints the medians.
func measure(_ name: String, _ document: SampleDocument, repeats: Int) throws {
    var parse: [Double] = []
    var compareEqual: [Double] = []
    var compareChanged: [Double] = []
    var both: [Double] = []
    var foundation: [Double] = []
    let old = document.text(changing: 0)
    let reordered = document.text(changing: 0)
    let new = document.text(changing: 100)
    let megabytes = Double(old.count) / 1e6
    for _ in 0..<rounds {
        parse.append(try time(repeats) { try JSONDocument(parsing: old).root.count })
        let left = SnapshotContent.json(try JSONValue(parsing: old))
        let same = SnapshotContent.json(try JSONValue(parsing: reordered))
        let right = SnapshotContent.json(try JSONValue(parsing: new))
        let rules = ComparisonRules()
        compareEqual.append(
            time(repeats) { same.difference(from: left, rules: rules)?.updated ?? 0 })
        compareChanged.append(
            time(repeats) { right.difference(from: left, rules: rules)?.updated ?? 0 })
        both.append(
            try time(repeats) {
                let value = SnapshotContent.json(try JSONValue(parsing: new))
                return value.difference(from: left, rules: rules)?.updated ?? 0
            })
        let data = Data(new)
        foundation.append(
            try time(repeats) {
                (try JSONSerialization.jsonObject(with: data) as? [String: Any])?.count ?? 0
            })
    }
    for (what, times) in [
        ("parse", parse), ("compare, equal", compareEqual),
        ("compare, 1% changed", compareChanged), ("parse + compare, 1% changed", both),
        ("Foundation JSONSerialization", foundation),
    ] {
        let seconds = median(times)
        print(row(name, what, number(seconds * 1e3), number(megabytes / seconds)))
    }
    let ratio = median(foundation) / median(both)
    print(row(name, "Foundation / (parse + compare)", "", "\(number(ratio)) x"))
}

/// The seconds that one run of `work` takes, over `repeats` runs; what it returns is kept alive.
func time(_ repeats: Int, _ work: () throws -> Int) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<repeats { withExtendedLifetime(try work()) {} }
    let elapsed = (clock.now - start).components
    let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    return seconds / Double(repeats)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func number(_ value: Double) -> String { String(format: value < 10 ? "%.3f" : "%.1f", value) }

func row(_ cells: String...) -> String { "| " + cells.joined(separator: " | ") + " |" }
