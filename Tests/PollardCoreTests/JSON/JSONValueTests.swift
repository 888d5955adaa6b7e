// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardCore

@Suite struct JSONValueTests {
    let value: JSONValue

    init() throws {
        value = try JSONValue(
            parsing: #"{"a\n": [1.50, "x\u00e9\ud83d\ude00", null, true, false], "": {}, "m~n": 1}"#
        )
    }

    @Test func `Kinds and contents are told`() throws {
        #expect(value.kind == .object)
        #expect(value.count == 3)
        #expect(value.members.map(\.key) == ["a\n", "", "m~n"])
        let list = try #require(value["a\n"])
        #expect(list.items.map(\.kind) == [.number, .string, .null, .boolean, .boolean])
        #expect(list[0]?.numberText == "1.50")
        #expect(list[1]?.string == "xé😀")
        #expect(list[2]?.isNull == true)
        #expect(list[3]?.boolean == true)
        #expect(list[4]?.boolean == false)
        #expect(list[5] == nil)
        #expect(list[-1] == nil)
        #expect(list["a"] == nil)
        #expect(list[0]?.count == 0)
        #expect(list[0]?.string == nil)
        #expect(value.numberText == nil)
        #expect(Array(list.members.map(\.key)).isEmpty)
        #expect(Array(value.items).isEmpty)
        #expect(value[""]?.kind == .object)
        #expect(value["nothing"] == nil)
    }

    @Test func `The compact form keeps number texts, escapes and order`() {
        #expect(
            value.text()
                == #"{"a\n":[1.50,"x\u00e9\ud83d\ude00",null,true,false],"":{},"m~n":1}"#)
    }

    @Test func `The pretty form has a line for each value`() throws {
        let value = try JSONValue(parsing: #"{"a":[1,{"b":[]}],"c":{}}"#)
        #expect(
            value.text(.pretty) == """
                {
                  "a": [
                    1,
                    {
                      "b": []
                    }
                  ],
                  "c": {}
                }
                """)
    }

    @Test(arguments: [
        ("", #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7,"01":9}"#),
        ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/foo/1", #""baz""#), ("/", "0"),
        ("/a~1b", "1"), ("/c%d", "2"), ("/m~0n", "8"), ("/ ", "7"), ("/01", "9"),
    ])
    func `A pointer leads to its value`(pointer: String, expected: String) throws {
        let document = try JSONValue(
            parsing: #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7,"01":9}"#)
        let parsed = try JSONPointer(pointer)
        #expect(document.value(at: parsed)?.text() == expected)
        #expect(parsed.description == pointer)
    }

    @Test(arguments: [
        "/foo/2", "/foo/01", "/foo/-", "/foo/x", "/foo/-1", "/x", "/foo/0/0",
        "/foo/99999999999999999999",
    ])
    func `A pointer to nothing gives nothing`(pointer: String) throws {
        let document = try JSONValue(parsing: #"{"foo":["bar","baz"]}"#)
        #expect(document.value(at: try JSONPointer(pointer)) == nil)
    }

    @Test(arguments: [
        ("foo", "a path begins with '/'"),
        ("/~", "'~' in a path must be written '~0', and '/' inside a key '~1'"),
        ("/~2", "'~' in a path must be written '~0', and '/' inside a key '~1'"),
    ])
    func `A malformed pointer is refused`(text: String, reason: String) {
        let error = #expect(throws: PathPatternError.self) { try JSONPointer(text) }
        #expect(error == PathPatternError(message: reason))
    }

    @Test(arguments: [
        (#"{"a":1,"b":[2,{"c":null}]}"#, #"{ "b": [2.0, {"\u0063": null}], "a": 1e0 }"#, true),
        (#"{"a":1,"b":2,"c":3}"#, #"{"c":3,"a":1,"b":2}"#, true),
        (#"{"a":1,"b":2}"#, #"{"a":1,"c":2}"#, false), (#"{"a":1}"#, #"{"a":1,"b":2}"#, false),
        ("[1,2]", "[2,1]", false), ("[1,2]", "[1,2,3]", false), ("true", "false", false),
        ("1", "\"1\"", false), ("null", "false", false), ("[]", "{}", false),
        (#""é""#, #""\u00e9""#, true), (#""é""#, #""e\u0301""#, false),
        (#""\ud83d\ude00""#, "\"😀\"", true), (#""\/""#, #""/""#, true),
        (#""12345678""#, #""12345679""#, false), (#""a""#, #""a\u0000""#, false),
    ])
    func `Values are equal when they mean the same`(
        left: String, right: String, isEqual: Bool
    ) throws {
        let (left, right) = (try JSONValue(parsing: left), try JSONValue(parsing: right))
        #expect((left == right) == isEqual)
        #expect((right == left) == isEqual)
    }
}
