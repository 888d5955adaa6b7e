// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PollardCore

/// Patches applied by another implementation of RFC 6902: Python's `jsonpatch`.
@Suite struct JSONPatchTests {
    /// What is left out of a comparison, as the script knows it.
    enum Mode: String, CaseIterable {
        /// Nothing.
        case exact
        /// Members `ts` at any depth.
        case ignoring
        /// The order of each list `tags`.
        case bags
    }

    struct Pair {
        var old: String
        var new: String
        var patch: String
        var mode: Mode

        /// One line of the script's input.
        var line: String {
            #"{"mode":"\#(mode.rawValue)","old":\#(old),"new":\#(new),"patch":\#(patch)}"#
        }
    }

    /// Prints one line for each pair whose patch does not give the new document.
    static let script = #"""
        import json, sys
        from decimal import Decimal
        import jsonpatch

        def parse(text):
            return json.loads(text, parse_float=Decimal, parse_int=Decimal)

        def canonical(value, mode, key=None):
            if isinstance(value, dict):
                members = {k: canonical(v, mode, k) for k, v in value.items()
                           if not (mode == "ignoring" and k == "ts")}
                return ("object", tuple(sorted(members.items())))
            if isinstance(value, list):
                items = [canonical(v, mode) for v in value]
                if mode == "bags" and key == "tags":
                    items.sort(key=repr)
                return ("array", tuple(items))
            if isinstance(value, bool) or value is None:
                return ("literal", repr(value))
            if isinstance(value, Decimal):
                return ("number", str(value.normalize() + 0))
            return ("string", value)

        count = 0
        for line in sys.stdin:
            count += 1
            pair = parse(line)
            try:
                result = jsonpatch.apply_patch(pair["old"], pair["patch"])
            except Exception as error:
                print("pair", count, "failed:", repr(error))
                continue
            mode = pair["mode"]
            if canonical(result, mode) != canonical(pair["new"], mode):
                print("pair", count, "differs")
        print(count, "pairs")
        """#

    @Test func `Patches applied elsewhere give the new document`() throws {
        var generator = Generator(seed: 6902)
        var pairs: [Pair] = []
        for round in 0..<300 {
            let old = SampleTree.random(&generator, depth: 4)
            let new = old.changed(&generator, odds: 2 + round % 8)
            let mode: Mode = round.isMultiple(of: 3) ? .ignoring : .exact
            pairs.append(try Self.pair(old, new, mode, identity: [], &generator))
        }
        for round in 0..<300 {
            let old = SampleTree.catalog(&generator)
            let new = old.changedCatalog(&generator)
            let mode = Mode.allCases[round % 3]
            let identity: [(list: String?, key: String)] =
                [("/items", "/id")] + (mode == .bags ? [("/items/*/tags", "*")] : [])
            pairs.append(try Self.pair(old, new, mode, identity: identity, &generator))
        }
        let output = try Self.applied(pairs)
        #expect(output == "600 pairs\n")
        for operation in ["add", "remove", "replace", "move"] {
            #expect(pairs.count { $0.patch.contains("\"op\":\"\(operation)\"") } > 50)
        }
    }

    @Test func `A wrong patch would be noticed`() throws {
        let pairs = [
            Pair(old: "[1]", new: "[2]", patch: "[]", mode: .exact),
            Pair(
                old: "[1]", new: "[1.0]", patch: #"[{"op":"test","path":"/0","value":1}]"#,
                mode: .exact),
            Pair(old: "[]", new: "[]", patch: #"[{"op":"remove","path":"/0"}]"#, mode: .exact),
        ]
        let lines = try Self.applied(pairs).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == "pair 1 differs")
        #expect(lines.dropFirst().first?.hasPrefix("pair 3 failed: ") == true)
        #expect(lines.last == "3 pairs")
    }

    @Test func `Moves of long lists are applied elsewhere too`() throws {
        var generator = Generator(seed: 99)
        let pairs = try (0..<40).map { round in
            let ids = Array(0..<60)
            var order = round < 20 ? ids.shuffled(using: &generator) : ids
            for _ in 0..<(round % 5) {
                order.insert(order.remove(at: generator.below(60)), at: generator.below(60))
            }
            let kept = order.filter { _ in !generator.once(in: 10) }
            func list(_ ids: [Int]) -> SampleTree {
                .object([("items", .list(ids.map { .object([("id", .number($0))]) }))])
            }
            return try Self.pair(
                list(ids), list(kept), .exact, identity: [("/items", "/id")], &generator)
        }
        #expect(try Self.applied(pairs) == "40 pairs\n")
    }

    /// The texts of `old` and `new`, and the patch between them.
    static func pair(
        _ old: SampleTree, _ new: SampleTree, _ mode: Mode,
        identity: [(list: String?, key: String)], _ generator: inout Generator
    ) throws -> Pair {
        let old = old.text(&generator)
        let new = new.text(&generator)
        let rules = try JSONDifferenceTests.rules(
            ignore: mode == .ignoring ? ["/**/ts"] : [], identity: identity)
        let left = SnapshotContent.json(try JSONValue(parsing: old))
        let right = SnapshotContent.json(try JSONValue(parsing: new))
        let summary = right.difference(from: left, rules: rules)
        #expect(left.difference(from: left, rules: rules) == nil)
        return Pair(old: old, new: new, patch: summary?.patch ?? "[]", mode: mode)
    }

    /// What the script says to `pairs`.
    static func applied(_ pairs: [Pair]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script]
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("pollard-patches-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(pairs.map { $0.line + "\n" }.joined().utf8).write(to: file)
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}
