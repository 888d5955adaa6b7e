// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardConfig

@Suite struct YAMLDocumentTests {
    private func error(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) -> YAMLError? {
        do throws(YAMLError) {
            _ = try YAMLDocument.parse(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func place(_ line: Int, _ column: Int) -> Mark { Mark(line: line, column: column) }

    @Test func `Bytes that are no text are refused at their place`() {
        #expect(
            error(Array("a: é\nb: ".utf8) + [0xC3, 0x28])
                == YAMLError(at: place(2, 4), "the file is not UTF-8", hint: "save it as UTF-8"))
        #expect(
            error(Array("a: é\0".utf8))
                == YAMLError(
                    at: place(1, 5), "the file has a NUL byte",
                    hint: "save it as a text file in UTF-8"))
        #expect(
            error([0xFF, 0xFE, 0x61, 0x00])
                == YAMLError(at: place(1, 1), "the file is UTF-16", hint: "save it as UTF-8"))
        #expect(
            error(Array("a: é\u{1B}[0m".utf8))
                == YAMLError(
                    at: place(1, 5), "the text has a control character",
                    hint: "remove it, or write it as \"\\x..\""))
        #expect(error([0xED, 0xA0, 0x80])?.message == "the file is not UTF-8")
    }

    @Test func `A byte-order mark is no part of the first key`() throws {
        let root = try YAMLDocument.parse([0xEF, 0xBB, 0xBF] + Array("é: 1".utf8))
        guard case .mapping(let entries) = root?.content else {
            Issue.record("no map")
            return
        }
        #expect(entries.map(\.key) == ["é"])
        #expect(entries[0].keyMark == place(1, 1))
        #expect(entries[0].value.mark == place(1, 4))
    }

    @Test func `Depth and number of values are bounded`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(
            error(Array(deep.utf8))
                == YAMLError(at: place(1, 33), "values are nested more than 32 deep"))
        var limits = YAMLLimits()
        limits.nodes = 4
        #expect(error(Array("[1, 2, 3]".utf8), limits: limits) == nil)
        #expect(
            error(Array("[1, 2, 3, 4]".utf8), limits: limits)
                == YAMLError(
                    at: place(1, 11), "the file has more than 4 values",
                    hint: "aliases count as what they stand for"))
    }

    @Test func `Aliases count as what they stand for`() {
        var limits = YAMLLimits()
        limits.nodes = 9
        // One list, its three items, and twice the list of two: 1 + 1 + 2 + 3 = 7 and 10.
        let twice = "- &a [1, 2]\n- *a\n"
        #expect(error(Array(twice.utf8), limits: limits) == nil)
        #expect(error(Array((twice + "- *a\n").utf8), limits: limits)?.mark == place(3, 3))
    }

    @Test func `An anchor may be set anew`() throws {
        let root = try YAMLDocument.parse(Array("[&a 1, *a, &a 2, *a]".utf8))
        guard case .sequence(let items) = root?.content else {
            Issue.record("no list")
            return
        }
        let texts = items.map { item in
            if case .scalar(let scalar) = item.content { scalar.text } else { "" }
        }
        #expect(texts == ["1", "1", "2", "2"])
    }

    @Test func `Nothing but comments is no document`() throws {
        for text in ["", "# a", "\n\n", "---\n...\n# a"] {
            let root = try YAMLDocument.parse(Array(text.utf8))
            if let root { #expect(root.kind == "nothing") }
        }
    }
}
