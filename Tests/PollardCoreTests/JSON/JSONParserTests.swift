// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

@Suite struct JSONParserTests {
    /// Texts that RFC 8259 allows, in the kinds that public suites have.
    static let accepted: [String] = [
        "[[]   ]", "[\"\"]", "[]", "[\"a\"]", "[false]", "[null, 1, \"1\", {}]", "[null]",
        "[1\n]", " [1]", "[1,null,null,null,2]", "[2] ",
        "[0e+1]", "[0e1]", "[ 4]", "[-0.000000000000000000000000000000000000000000000000001]",
        "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]",
        "[123.456e78]", "[1e-2]", "[1e+2]", "[123]", "[123.456789]", "[1e400]", "[-1e-400]",
        "[123123123123123123123123123123]", "[0.4e006699999999999999999999999999999999]",
        #"{"asd":"sdf", "dfg":"fgh"}"#, #"{"asd":"sdf"}"#, "{}", #"{"":0}"#,
        #"{"foo\u0000bar": 42}"#, #"{ "min": -1.0e+28, "max": 1.0e+28 }"#, "{\n\"a\": \"b\"\n}",
        #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#,
        #"["\"\\\/\b\f\n\r\t"]"#, #"["\\u0000"]"#, #"["\""]"#, "[\"a/*b*/c/*d//e\"]",
        #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#, "[ \"asd\"]",
        #"["\uDBFF\uDFFF"]"#, #"["new\u00A0line"]"#, "[\"\u{10ffff}\"]", "[\"\u{ffff}\"]",
        #"["\u0000"]"#, "[\"\u{2c}\"]", "[\"π\"]", "[\"\u{1bfff}\"]", "\" \"",
        #"["\u0821"]"#, #"["\u0123"]"#, "[\"\u{2028}\"]", "[\"\u{2029}\"]",
        #"["\u0061\u30af\u30EA\u30b9"]"#, "[\"new\u{a0}line\"]", #"["\uA66D"]"#,
        #"["\u005C"]"#, "[\"⍂㈴⍂\"]", #"["\u200B"]"#, #"["\u2064"]"#, #"["\uFDD0"]"#,
        #"["\u0022"]"#, "[\"\u{7f}\"]", "[\"€𝄞\"]", "[\"aa\u{7f}\"]",
        "false", "42", "-0.1", "null", "\"asd\"", "true", "\"\"", "[\"a\"]\n", "[true]",
        " \t\r\n[] \t\r\n", String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
    ]

    @Test(arguments: accepted)
    func `What RFC 8259 allows is accepted`(text: String) throws {
        let value = try JSONValue(parsing: text)
        let again = try JSONValue(parsing: value.text())
        #expect(value == again)
        #expect(try JSONValue(parsing: value.text(.pretty)) == value)
    }

    /// Texts that must be refused, with the exact reason.
    static let refused: [(String, String)] = [
        // Arrays
        ("[1 true]", "byte 3: expected ',' or ']'"), ("[\"\": 1]", "byte 3: expected ',' or ']'"),
        ("[\"\"],", "byte 4: unexpected data after the value"),
        ("[,1]", "byte 1: expected a value"), ("[1,,2]", "byte 3: expected a value"),
        ("[\"x\",,]", "byte 5: expected a value"),
        ("[\"x\"]]", "byte 5: unexpected data after the value"),
        ("[\"\",]", "byte 4: expected a value"),
        ("[\"x\"", "byte 4: the text ends inside an array"),
        ("[x", "byte 1: expected a value"), ("[3[4]]", "byte 2: expected ',' or ']'"),
        ("[1:2]", "byte 2: expected ',' or ']'"), ("[,]", "byte 1: expected a value"),
        ("[-]", "byte 2: expected a digit"), ("[   , \"\"]", "byte 4: expected a value"),
        ("[\"a\",\n4\n,1,", "byte 11: the text ends where a value is expected"),
        ("[1,]", "byte 3: expected a value"), ("[*]", "byte 1: expected a value"),
        ("[1,\n1\n,1", "byte 8: the text ends inside an array"),
        ("[{}", "byte 3: the text ends inside an array"),
        // Literals
        ("[fals]", "byte 1: expected a value"), ("[nul]", "byte 1: expected a value"),
        ("[tru]", "byte 1: expected a value"), ("[True]", "byte 1: expected a value"),
        ("[falsy]", "byte 1: expected a value"), ("tru", "byte 0: expected a value"),
        ("nulll", "byte 4: unexpected data after the value"),
        // Numbers
        ("[++1234]", "byte 1: expected a value"), ("[+1]", "byte 1: expected a value"),
        ("[+Inf]", "byte 1: expected a value"), ("[-01]", "byte 2: a number must not begin with 0"),
        ("[-1.0.]", "byte 5: expected ',' or ']'"), ("[-2.]", "byte 4: expected a digit"),
        ("[-NaN]", "byte 2: expected a digit"), ("[.-1]", "byte 1: expected a value"),
        ("[.2e-3]", "byte 1: expected a value"), ("[0.1.2]", "byte 4: expected ',' or ']'"),
        ("[0.3e+]", "byte 6: expected a digit"), ("[0.e1]", "byte 3: expected a digit"),
        ("[0E+]", "byte 4: expected a digit"), ("[0E]", "byte 3: expected a digit"),
        ("[1.0e-]", "byte 6: expected a digit"), ("[1 000.0]", "byte 3: expected ',' or ']'"),
        ("[1eE2]", "byte 3: expected a digit"), ("[2.e+3]", "byte 3: expected a digit"),
        ("[9.e+]", "byte 3: expected a digit"), ("[Inf]", "byte 1: expected a value"),
        ("[NaN]", "byte 1: expected a value"), ("[Infinity]", "byte 1: expected a value"),
        ("[1+2]", "byte 2: expected ',' or ']'"), ("[0x1]", "byte 2: expected ',' or ']'"),
        ("[-Infinity]", "byte 2: expected a digit"), ("[-foo]", "byte 2: expected a digit"),
        ("[- 1]", "byte 2: expected a digit"), ("[-012]", "byte 2: a number must not begin with 0"),
        ("[-.123]", "byte 2: expected a digit"), ("[-1x]", "byte 3: expected ',' or ']'"),
        ("[1ea]", "byte 3: expected a digit"), ("[1.2a-3]", "byte 4: expected ',' or ']'"),
        ("[012]", "byte 1: a number must not begin with 0"), ("[1.]", "byte 3: expected a digit"),
        ("[１]", "byte 1: expected a value"), ("-", "byte 1: expected a digit"),
        // Objects
        ("[\"x\", truth]", "byte 6: expected a value"), ("{[: \"x\"}", "byte 1: expected a key"),
        ("{\"x\", null}", "byte 4: expected ':'"), ("{\"x\"::\"b\"}", "byte 5: expected a value"),
        ("{🇨🇭}", "byte 1: expected a key"), ("{\"a\":\"a\" 123}", "byte 9: expected ',' or '}'"),
        ("{key: 'value'}", "byte 1: expected a key"), ("{\"a\" b}", "byte 5: expected ':'"),
        ("{:\"b\"}", "byte 1: expected a key"), ("{\"a\" \"b\"}", "byte 5: expected ':'"),
        ("{\"a\":", "byte 5: the text ends where a value is expected"),
        ("{\"a\"", "byte 4: the text ends after a key"), ("{1:1}", "byte 1: expected a key"),
        ("{null:null}", "byte 1: expected a key"), ("{\"id\":0,,,}", "byte 8: expected a key"),
        ("{'a':0}", "byte 1: expected a key"), ("{\"id\":0,}", "byte 8: expected a key"),
        ("{\"a\":\"b\"}/**/", "byte 9: unexpected data after the value"),
        ("{\"a\":\"b\",,\"c\":\"d\"}", "byte 9: expected a key"),
        ("{a: \"b\"}", "byte 1: expected a key"),
        ("{\"a\":\"a", "byte 7: the text ends inside a string"),
        ("{ \"foo\" : \"bar\", \"a\" }", "byte 21: expected ':'"),
        ("{}}", "byte 2: unexpected data after the value"),
        ("{\"a\":\"b\"}#", "byte 9: unexpected data after the value"),
        ("{", "byte 1: the text ends where a key is expected"),
        ("{\"a\":1,", "byte 7: the text ends where a key is expected"),
        ("{]", "byte 1: expected a key"),
        ("{\"a\":1]", "byte 6: expected ',' or '}'"), ("[1}", "byte 2: expected ',' or ']'"),
        // Strings
        (#"["\uD800\"]"#, "byte 2: lone surrogate"),
        (#"["\uD800\u"]"#, "byte 10: expected a hexadecimal digit"),
        (#"["\uD800\u1"]"#, "byte 11: expected a hexadecimal digit"),
        (#"["\uD800\u1x"]"#, "byte 11: expected a hexadecimal digit"),
        (#"["\uDC00"]"#, "byte 2: lone surrogate"), (#"["\uD800"]"#, "byte 2: lone surrogate"),
        (#"["\uD800\uD800\n"]"#, "byte 2: lone surrogate"),
        (#"["\uD800x"]"#, "byte 2: lone surrogate"),
        (#"["\uDd1e\uD834"]"#, "byte 2: lone surrogate"),
        (#"["\uD834\u0061"]"#, "byte 2: lone surrogate"),
        ("[é]", "byte 1: expected a value"), (#"["\x00"]"#, "byte 2: unknown escape"),
        (#"["\\\"]"#, "byte 7: the text ends inside a string"),
        (#"["\🌀"]"#, "byte 2: unknown escape"),
        (#"["\"]"#, "byte 5: the text ends inside a string"),
        (#"["\u00A"]"#, "byte 7: expected a hexadecimal digit"),
        (#"["\a"]"#, "byte 2: unknown escape"),
        (#"["\uqqqq"]"#, "byte 4: expected a hexadecimal digit"),
        ("[\\u0020\"asd\"]", "byte 1: expected a value"), ("[\\n]", "byte 1: expected a value"),
        ("\"", "byte 1: the text ends inside a string"), ("['single']", "byte 1: expected a value"),
        ("abc", "byte 0: expected a value"), ("[\"\\", "byte 3: the text ends inside a string"),
        ("[\"a\u{0}a\"]", "byte 3: a control character in a string must be escaped"),
        ("[\"new\nline\"]", "byte 5: a control character in a string must be escaped"),
        ("[\"\t\"]", "byte 2: a control character in a string must be escaped"),
        ("[\"\u{1f}\"]", "byte 2: a control character in a string must be escaped"),
        ("\"\"x", "byte 2: unexpected data after the value"),
        (#"["\u12"#, "byte 6: the text ends inside a string"),
        // Structure
        ("", "byte 0: the text ends where a value is expected"),
        (" ", "byte 1: the text ends where a value is expected"),
        ("<.>", "byte 0: expected a value"), ("[<null>]", "byte 1: expected a value"),
        ("[1]x", "byte 3: unexpected data after the value"),
        ("[1]]", "byte 3: unexpected data after the value"), ("]", "byte 0: expected a value"),
        ("{\"a\":true}x", "byte 10: unexpected data after the value"),
        ("[][]", "byte 2: unexpected data after the value"),
        ("'", "byte 0: expected a value"), ("2@", "byte 1: unexpected data after the value"),
        ("[1\u{0}]", "byte 2: expected ',' or ']'"), ("\u{0}", "byte 0: expected a value"),
        ("123\u{0}", "byte 3: unexpected data after the value"),
        ("[\u{0c}]", "byte 1: expected a value"), ("[\u{2060}]", "byte 1: expected a value"),
        ("[\u{a0}]", "byte 1: expected a value"),
        ("{\"\":[{\"\":[", "byte 10: the text ends where a value is expected"),
        ("\u{feff}{}", "byte 0: a byte order mark is not allowed"),
        ("[1,\n  /* no */ 2]", "byte 6: expected a value"),
    ]

    @Test(arguments: refused)
    func `What RFC 8259 does not allow is refused with place and reason`(
        text: String, reason: String
    ) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.description == reason)
    }

    /// Bytes that are no UTF-8, inside a string.
    static let invalidUTF8: [[UInt8]] = [
        [0xff], [0x80], [0xc0, 0xaf], [0xe9], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80],
        [0xf4, 0xbf, 0xbf, 0xbf], [0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80],
        [0xe6, 0x97], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc3], [0xe4, 0xbd], [0xf1, 0x80, 0x80],
    ]

    @Test(arguments: invalidUTF8)
    func `Invalid UTF-8 in a string is refused`(sequence: [UInt8]) {
        for padding in 0...9 {
            let text = [0x5b, 0x22] + [UInt8](repeating: 0x61, count: padding) + sequence
            let error = #expect(throws: JSONSyntaxError.self) {
                try JSONValue(parsing: text + [0x22, 0x5d])
            }
            #expect(error == JSONSyntaxError(2 + padding, "invalid UTF-8"))
            let cut = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
            #expect(cut == JSONSyntaxError(2 + padding, "invalid UTF-8"))
        }
    }

    @Test func `UTF-16 without conversion is refused`() {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: [0xff, 0xfe, 0x5b, 0x00, 0x5d, 0x00])
        }
        #expect(error?.description == "byte 0: expected a value")
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, #"byte 7: duplicate key "a""#),
        (#"{"a":1,"\u0061":2}"#, #"byte 7: duplicate key "a""#),
        (#"{"\u0061":1,"a":2}"#, #"byte 12: duplicate key "a""#),
        (#"{"/":1,"\/":2}"#, #"byte 7: duplicate key "/""#),
        (#"{"":1,"":2}"#, #"byte 6: duplicate key """#),
        (#"[{"x":{"k":1,"z":2,"k":3}}]"#, #"byte 19: duplicate key "k""#),
        (
            #"{"a longer key than a word":1,"a longer key than a word":1}"#,
            #"byte 30: duplicate key "a longer key than a word""#
        ),
        (#"{"line\n":1,"line\u000a":2}"#, #"byte 12: duplicate key "line\n""#),
    ])
    func `A key that occurs twice is refused`(text: String, reason: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.description == reason)
    }

    @Test(arguments: [2, 23, 24, 25, 26, 400])
    func `The last of many keys is compared with all before it`(count: Int) throws {
        let members = (0..<count).map { "\"key number \($0)\":\($0)" }.joined(separator: ",")
        let value = try JSONValue(parsing: "{\(members)}")
        #expect(value.count == count)
        for twin in [0, count / 2, count - 1] {
            let error = #expect(throws: JSONSyntaxError.self) {
                try JSONValue(parsing: "{\(members),\"key number \(twin)\":0}")
            }
            #expect(error?.message == "duplicate key \"key number \(twin)\"")
        }
    }

    @Test func `Keys that differ only in the middle are not taken for one`() throws {
        let keys = (10..<60).map { "\"prefix--\($0)--suffix--\":0" }.joined(separator: ",")
        #expect(try JSONValue(parsing: "{\(keys)}").count == 50)
    }

    @Test func `A flood of similar keys takes bounded time`() throws {
        // The same first and last word: nothing but the hash tells them apart.
        var text = "{"
        for index in 0..<300_000 {
            text += index == 0 ? "" : ","
            text += "\"prefix00\(String(index, radix: 2))00suffix\":0"
        }
        var count = 0
        let elapsed = try processorTime { count = try JSONValue(parsing: text + "}").count }
        #expect(count == 300_000)
        #expect(elapsed < .seconds(20))
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `Nesting beyond the limit is refused however deep`(open: String, close: String) throws {
        for depth in [513, 100_000, 1_000_000] {
            let error = #expect(throws: JSONSyntaxError.self) {
                try JSONValue(parsing: String(repeating: open, count: depth))
            }
            #expect(
                error?.description == "byte \(512 * open.utf8.count): nested deeper than 512 levels"
            )
        }
        let atLimit =
            String(repeating: open, count: 511) + "[]" + String(repeating: close, count: 511)
        #expect(try JSONValue(parsing: atLimit).text() == atLimit)
    }

    @Test func `A text is not larger than the tape can hold`() {
        let bytes = [UInt8](repeating: 0x20, count: JSONDocument.maximumBytes + 1)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: bytes) }
        #expect(error?.description == "byte 134217727: larger than 134217727 bytes")
    }

    @Test func `A place is told by line and column in characters`() {
        let text = Array("{\n  \"ä\": 01}".utf8)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(
            error?.description(in: text)
                == "byte 10 (line 2, column 8): a number must not begin with 0")
    }

    @Test func `Each of the first bytes of a text is checked wherever its end is`() {
        let text = Array(#"{"k":["ä\n",-1.5e3,true,null,{"x":""}]}"#.utf8)
        for length in 0..<text.count {
            #expect(throws: JSONSyntaxError.self) {
                try JSONValue(parsing: Array(text.prefix(length)))
            }
        }
    }
}
