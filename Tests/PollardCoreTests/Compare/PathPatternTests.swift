// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

@Suite struct PathPatternTests {
    @Test(arguments: ["/a", "/", "/a/*/b", "/**/timestamp", "/~0~1/**", "//x", "/0/**/*"])
    func `A pattern is written as it was read`(text: String) throws {
        #expect(try PathPattern(text).description == text)
    }

    @Test func `Steps are keys, one step or any depth`() throws {
        #expect(
            try PathPattern("/a~1b/*/**/~0").steps == [.key("a/b"), .any, .anyDepth, .key("~")])
    }

    @Test(arguments: [
        ("", "a path begins with '/'"), ("a", "a path begins with '/'"),
        ("*", "a path begins with '/'"),
        ("/a~", "'~' in a path must be written '~0', and '/' inside a key '~1'"),
        ("/~2", "'~' in a path must be written '~0', and '/' inside a key '~1'"),
        (String(repeating: "/a", count: 64), "a path has at most 63 steps"),
    ])
    func `A malformed pattern is refused`(text: String, reason: String) {
        let error = #expect(throws: PathPatternError.self) { try PathPattern(text) }
        #expect(error == PathPatternError(message: reason))
    }

    @Test(
        arguments: [
            ("/a", ["/a"], ["", "/b", "/a/b", "/A"]),
            ("/*", ["/a", "/0", "/"], ["", "/a/b"]),
            ("/**", ["", "/a", "/a/0/b"], []),
            ("/a/**", ["/a", "/a/b", "/a/0/c"], ["", "/b", "/b/a"]),
            ("/**/t", ["/t", "/a/t", "/a/0/t"], ["", "/t/a", "/a"]),
            ("/a/*/b", ["/a/0/b", "/a/x/b"], ["/a/b", "/a/0/0/b", "/a/0/c"]),
            ("/a/**/b", ["/a/b", "/a/x/b", "/a/x/y/b", "/a/b/b"], ["/a", "/b", "/a/b/c"]),
            ("/**/**/b", ["/b", "/a/b"], ["/a"]),
            ("/**/a/**/b", ["/a/b", "/x/a/y/b", "/a/a/b/b"], ["/b/a", "/a"]),
            ("/items/10", ["/items/10"], ["/items/1", "/items/100"]),
            ("/**/*", ["/a", "/a/b"], [""]),
        ] as [(String, [String], [String])])
    func `A pattern matches its places and no others`(
        pattern: String, places: [String], others: [String]
    ) throws {
        // Others beside it, so that patterns do not lean on each other.
        let patterns = try ["/zz/*", pattern, "/**/yy"].map { try PathPattern($0) }
        for place in places {
            #expect(try Self.match(patterns, place) == 1, "\(place)")
        }
        for place in others {
            #expect(try Self.match(patterns, place) == nil, "\(place)")
        }
    }

    /// The number of the pattern that matches `place`, walking as a comparison does.
    static func match(_ patterns: [PathPattern?], _ place: String) throws -> Int? {
        let matcher = PathMatcher(patterns)
        var state = matcher.start
        for token in try JSONPointer(place).tokens {
            if let position = JSONPointer.position(Array(token.utf8)) {
                state = matcher.step(state, position: position)
            } else {
                let document = try JSONDocument(parsing: Array("\"\(token)\"".utf8))
                state = matcher.step(state, key: document.tape[0], document.bytes.span)
            }
        }
        return matcher.match(state)
    }

    @Test func `More patterns than fit into four words are followed`() throws {
        let patterns = try (0..<200).map { try PathPattern("/list/*/key\($0)/**/end") }
        for number in [0, 1, 11, 63, 64, 199] {
            #expect(try Self.match(patterns, "/list/0/key\(number)/x/y/end") == number)
        }
        #expect(try Self.match(patterns, "/list/0/key200/end") == nil)
    }

    @Test func `The pattern of the whole document matches only that`() throws {
        #expect(try Self.match([nil], "") == 0)
        #expect(try Self.match([nil], "/a") == nil)
    }

    @Test func `Many patterns with any depth stay fast on a large document`() throws {
        let text =
            "["
            + (0..<20_000).map { "{\"a\":{\"b\":[{\"a\":\($0)},1]},\"c\":2}" }
            .joined(separator: ",") + "]"
        let value = try JSONValue(parsing: text)
        var rules = ComparisonRules()
        rules.ignore = try (0..<10).map { try PathPattern("/**/a/**/b/**/c/**/a\($0)/**/b") }
        var summary: ChangeSummary?
        let elapsed = processorTime {
            summary = SnapshotContent.json(value).difference(from: .json(value), rules: rules)
        }
        #expect(summary == nil)
        #expect(elapsed < .seconds(20))
    }
}
