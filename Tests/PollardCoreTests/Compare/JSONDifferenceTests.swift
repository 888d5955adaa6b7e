// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

@Suite struct JSONDifferenceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var old: String
        var new: String
        var ignore: [String] = []
        /// Lists and identities; `*` is the whole item.
        var identity: [(list: String?, key: String)] = []
        var lines: [String]
        var patch: String?
        var remarks: [String] = []

        var testDescription: String { name }
    }

    static func rules(
        ignore: [String] = [], identity: [(list: String?, key: String)] = []
    ) throws -> ComparisonRules {
        var rules = ComparisonRules()
        rules.ignore = try ignore.map { try PathPattern($0) }
        rules.identity = try identity.map { rule in
            IdentityRule(
                list: try rule.list.map { try PathPattern($0) },
                identity: rule.key == "*" ? .wholeItem : .pointer(try PathPattern(rule.key)))
        }
        return rules
    }

    static let objects: [Case] = [
        Case(name: "same", old: #"{"a":1,"b":[1.0]}"#, new: #"{ "b": [1], "a": 1.00 }"#, lines: []),
        Case(
            name: "members", old: #"{"a":1,"b":"x","c":null}"#,
            new: #"{"c":null,"d":[true],"a":2}"#,
            lines: ["~ /a 1 -> 2", #"- /b "x""#, "+ /d [true]"],
            patch: #"[{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/b"},"#
                + #"{"op":"add","path":"/d","value":[true]}]"#),
        Case(
            name: "kinds", old: #"{"a":1}"#, new: #"{"a":"1"}"#, lines: [#"~ /a 1 -> "1""#],
            patch: #"[{"op":"replace","path":"/a","value":"1"}]"#),
        Case(
            name: "whole document", old: "1", new: "[]", lines: ["~ (document) 1 -> []"],
            patch: #"[{"op":"replace","path":"","value":[]}]"#),
        Case(
            name: "escaped keys", old: #"{"a/b":{"m~n":1,"\u0061\n\"":2}}"#,
            new: #"{"a/b":{"m~n":2,"a\n\"":3}}"#,
            lines: ["~ /a~1b/m~0n 1 -> 2", "~ /a~1b/a\\n\" 2 -> 3"],
            patch: #"[{"op":"replace","path":"/a~1b/m~0n","value":2},"#
                + #"{"op":"replace","path":"/a~1b/a\u000a\"","value":3}]"#),
        Case(
            name: "numbers keep their text", old: #"{"a":1.50}"#,
            new: #"{"a":12345678901234567891}"#, lines: ["~ /a 1.50 -> 12345678901234567891"],
            patch: #"[{"op":"replace","path":"/a","value":12345678901234567891}]"#),
        Case(
            name: "no terminal control", old: #"{"a":"x"}"#,
            new: "{\"a\":\"\u{9b}31m\u{7f}\u{202e}\\u001b\"}",
            lines: [#"~ /a "x" -> "\u009b31m\u007f\u202e\u001b""#],
            patch: "[{\"op\":\"replace\",\"path\":\"/a\","
                + "\"value\":\"\u{9b}31m\u{7f}\u{202e}\\u001b\"}]"),
    ]

    static let lists: [Case] = [
        Case(
            name: "insertion at the head", old: "[1,2,3,4]", new: "[0,1,2,3,4]", lines: ["+ /0 0"],
            patch: #"[{"op":"add","path":"/0","value":0}]"#),
        Case(
            name: "sliding window", old: #"[{"n":1},{"n":2},{"n":3}]"#,
            new: #"[{"n":0},{"n":1},{"n":2}]"#, lines: [#"+ /0 {"n":0}"#, #"- /2 {"n":3}"#],
            patch: #"[{"op":"remove","path":"/2"},{"op":"add","path":"/0","value":{"n":0}}]"#),
        Case(
            name: "replaced in place", old: "[1,2,3]", new: "[1,5,3]", lines: ["~ /1 2 -> 5"],
            patch: #"[{"op":"replace","path":"/1","value":5}]"#),
        Case(
            name: "nested", old: #"[{"t":["a","b"]},{"t":[]}]"#, new: #"[{"t":["b"]},{"t":[]}]"#,
            lines: [#"- /0/t/0 "a""#], patch: #"[{"op":"remove","path":"/0/t/0"}]"#),
        Case(
            name: "emptied", old: "[1,2]", new: "[]", lines: ["- /0 1", "- /1 2"],
            patch: #"[{"op":"remove","path":"/1"},{"op":"remove","path":"/0"}]"#),
        Case(
            name: "update after an insertion", old: #"[{"a":1,"b":2},7]"#,
            new: #"[9,{"a":1,"b":3},7]"#,
            lines: [#"~ /0 {"a":1,"b":2} -> 9"#, #"+ /1 {"a":1,"b":3}"#],
            patch:
                #"[{"op":"add","path":"/1","value":{"a":1,"b":3}},{"op":"replace","path":"/0","value":9}]"#
        ),
    ]

    static let identities: [Case] = [
        Case(
            name: "all kinds",
            old: #"[{"id":1,"n":1},{"id":2,"n":2},{"id":3,"n":3},{"id":4,"n":4}]"#,
            new: #"[{"id":3,"n":3},{"id":5},{"id":1,"n":10},{"id":4,"n":4}]"#,
            identity: [(nil, "/id")],
            lines: [
                #"- /1 {"id":2,"n":2}"#, "> /0 from /2 (id 3)", #"+ /1 {"id":5}"#,
                "~ /2/n 1 -> 10 (id 1)",
            ],
            patch: #"[{"op":"remove","path":"/1"},{"op":"move","from":"/1","path":"/0"},"#
                + #"{"op":"add","path":"/1","value":{"id":5}},"#
                + #"{"op":"replace","path":"/2/n","value":10}]"#),
        Case(
            name: "one move", old: #"[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}]"#,
            new: #"[{"id":"b"},{"id":"c"},{"id":"d"},{"id":"a"}]"#, identity: [(nil, "/id")],
            lines: [#"> /3 from /0 (id "a")"#],
            patch: #"[{"op":"move","from":"/0","path":"/3"}]"#),
        Case(
            name: "identity by value", old: #"{"l":[{"k":{"id":1.0}},{"k":{"id":"1"}}]}"#,
            new: #"{"l":[{"k":{"id":"1"}},{"k":{"id":1}}]}"#, identity: [("/l", "/k/id")],
            lines: [#"> /l/0 from /l/1 (id "1")"#],
            patch: #"[{"op":"move","from":"/l/1","path":"/l/0"}]"#),
        Case(
            name: "lists inside", old: #"{"l":[{"id":1,"t":["x","y"]}]}"#,
            new: #"{"l":[{"id":0,"t":[]},{"id":1,"t":["y","z","x"]}]}"#,
            identity: [("/l", "/id"), ("/l/*/t", "*")],
            lines: [#"+ /l/0 {"id":0,"t":[]}"#, #"+ /l/1/t/1 "z""#],
            patch: #"[{"op":"add","path":"/l/0","value":{"id":0,"t":[]}},"#
                + #"{"op":"add","path":"/l/1/t/-","value":"z"}]"#),
        Case(
            name: "whole items in any order", old: "[1,2,2,3]", new: "[3.0,2,1,1]",
            identity: [(nil, "*")], lines: ["- /2 2", "+ /3 1"],
            patch: #"[{"op":"remove","path":"/2"},{"op":"add","path":"/-","value":1}]"#),
        Case(
            name: "only the order differs", old: #"[{"a":1},"x",[1]]"#, new: #"[[1],{"a":1},"x"]"#,
            identity: [(nil, "*")], lines: []),
        Case(
            name: "twins", old: #"[{"id":1},{"id":1.0,"a":0}]"#, new: #"[{"id":1},{"id":1,"a":5}]"#,
            identity: [(nil, "/id")], lines: ["~ /1/a 0 -> 5"],
            patch: #"[{"op":"replace","path":"/1/a","value":5}]"#,
            remarks: [
                "two items of (document) have the /id 1.0, so its items are compared by position"
            ]),
        Case(
            name: "an item without identity", old: #"{"l":[{"id":1}]}"#,
            new: #"{"l":[{"id":1},7]}"#,
            identity: [("/l", "/id")], lines: ["+ /l/1 7"],
            patch: #"[{"op":"add","path":"/l/1","value":7}]"#,
            remarks: ["item 1 of /l has no /id, so its items are compared by position"]),
    ]

    static let ignored: [Case] = [
        Case(
            name: "a member", old: #"{"t":1,"a":1}"#, new: #"{"t":2,"a":1}"#, ignore: ["/t"],
            lines: []),
        Case(
            name: "a member that came", old: #"{"a":1}"#, new: #"{"t":2,"a":2}"#, ignore: ["/t"],
            lines: ["~ /a 1 -> 2"], patch: #"[{"op":"replace","path":"/a","value":2}]"#),
        Case(
            name: "at any depth", old: #"{"t":1,"l":[{"t":1,"x":{"t":3}}]}"#,
            new: #"{"t":2,"l":[{"x":{}}]}"#, ignore: ["/**/t"], lines: []),
        Case(
            name: "insertion among items that all differ in what is ignored",
            old: #"[{"n":1,"t":1},{"n":2,"t":1}]"#,
            new: #"[{"n":0,"t":2},{"n":1,"t":2},{"n":2,"t":2}]"#,
            ignore: ["/*/t"], lines: [#"+ /0 {"n":0,"t":2}"#],
            patch: #"[{"op":"add","path":"/0","value":{"n":0,"t":2}}]"#),
        Case(
            name: "all items", old: #"{"l":[1,2],"a":1}"#, new: #"{"l":[3],"a":1}"#,
            ignore: ["/l/*"],
            lines: []),
        Case(
            name: "one position", old: "[1,2,3]", new: "[9,2,4]", ignore: ["/0"],
            lines: ["~ /2 3 -> 4"],
            patch: #"[{"op":"replace","path":"/2","value":4}]"#),
        Case(name: "everything", old: "[1]", new: "{}", ignore: ["/**"], lines: []),
        Case(
            name: "whole items without what is ignored", old: #"[{"n":1,"t":1},{"n":2,"t":1}]"#,
            new: #"[{"n":2,"t":5},{"n":1,"t":6},{"n":3}]"#, ignore: ["/*/t"],
            identity: [(nil, "*")],
            lines: [#"+ /2 {"n":3}"#], patch: #"[{"op":"add","path":"/-","value":{"n":3}}]"#),
    ]

    @Test(arguments: objects + lists + identities + ignored)
    func `Differences are told with place, value and patch`(example: Case) throws {
        let rules = try Self.rules(ignore: example.ignore, identity: example.identity)
        let old = SnapshotContent.json(try JSONValue(parsing: example.old))
        let new = SnapshotContent.json(try JSONValue(parsing: example.new))
        let summary = new.difference(from: old, rules: rules)
        #expect((summary?.lines ?? []) == example.lines)
        #expect(summary?.patch == example.patch)
        #expect((summary?.remarks ?? []) == example.remarks)
        #expect(summary?.added ?? 0 == example.lines.count { $0.hasPrefix("+") })
        #expect(summary?.removed ?? 0 == example.lines.count { $0.hasPrefix("-") })
        #expect(summary?.updated ?? 0 == example.lines.count { $0.hasPrefix("~") })
        #expect(summary?.moved ?? 0 == example.lines.count { $0.hasPrefix(">") })
        #expect(summary?.isPatchTruncated ?? false == false)
    }

    @Test func `At most 20 lines are kept and the others counted`() throws {
        let old = try JSONValue(parsing: "{}")
        let members = (0..<33).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let new = try JSONValue(parsing: "{\(members)}")
        let summary = try #require(
            SnapshotContent.json(new).difference(from: .json(old), rules: ComparisonRules()))
        #expect(summary.lines.count == 20)
        #expect(summary.lines.last == "+ /k19 19")
        #expect(summary.furtherLines == 13)
        #expect(summary.added == 33)
    }

    @Test func `A long value and a long pointer are cut`() throws {
        let key = String(repeating: "k", count: 300)
        let text = String(repeating: "ä", count: 300)
        let old = try JSONValue(parsing: "{\"\(key)\":1}")
        let new = try JSONValue(parsing: "{\"\(key)\":\"\(text)\"}")
        let summary = SnapshotContent.json(new).difference(
            from: .json(old), rules: ComparisonRules())
        let shownKey = String(repeating: "k", count: 199)
        let shownText = String(repeating: "ä", count: 119)
        #expect(summary?.lines == ["~ /\(shownKey)… 1 -> \"\(shownText)…"])
    }

    @Test func `A patch above 64 KiB is left out and said to be`() throws {
        for (length, isKept) in [(65_536 - 41, true), (65_536 - 40, false), (200_000, false)] {
            let new = try JSONValue(
                parsing: "{\"a\":\"\(String(repeating: "x", count: length))\"}")
            let summary = try #require(
                SnapshotContent.json(new).difference(
                    from: .json(try JSONValue(parsing: "{\"a\":0}")), rules: ComparisonRules()))
            #expect((summary.patch != nil) == isKept)
            #expect(summary.isPatchTruncated == !isKept)
            if let patch = summary.patch { #expect(patch.utf8.count == 65_536) }
        }
    }

    @Test func `Documents at the depth limit are compared`() throws {
        func nested(_ inner: String) throws -> SnapshotContent {
            .json(
                try JSONValue(
                    parsing: String(repeating: "[{\"a\":", count: 256) + inner
                        + String(repeating: "}]", count: 256)))
        }
        let summary = try nested("2").difference(from: nested("1"), rules: ComparisonRules())
        #expect(summary?.updated == 1)
        #expect(summary?.patch?.hasSuffix("/0/a\",\"value\":2}]") == true)
        let ignoring = try Self.rules(ignore: ["/**/b"])
        #expect(try nested("2").difference(from: nested("1"), rules: ignoring)?.updated == 1)
        #expect(try nested("1.0").difference(from: nested("1"), rules: ignoring) == nil)
    }

    @Test func `Lists in lists that differ at their ends take time linear in their size`() throws {
        // Without a bound, each level would be compared once more for each level above it.
        func nested(_ inner: String) throws -> SnapshotContent {
            let filler = (0..<200).map(String.init).joined(separator: ",")
            return .json(
                try JSONValue(
                    parsing: String(repeating: "[\(filler),", count: 500) + inner
                        + String(repeating: "]", count: 500)))
        }
        let (old, new) = (try nested("1"), try nested("2"))
        var summary: ChangeSummary?
        let elapsed = processorTime {
            summary = new.difference(from: old, rules: ComparisonRules())
        }
        #expect(summary?.updated == 1)
        #expect(elapsed < .seconds(10))
    }
}
