// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardCore

@Suite struct SnapshotContentTests {
    /// The content's kind, and its value as text.
    static func shown(_ content: SnapshotContent) -> String {
        switch content {
        case .json(let value): "json \(value.text())"
        case .text(let text): "text \(text)"
        case .bytes(let bytes): "bytes \(bytes)"
        }
    }

    @Test(arguments: [
        ("application/json", "json 1"), ("Application/JSON; charset=UTF-8", "json 1"),
        ("application/vnd.api+json", "json 1"), ("text/json", "json 1"),
        ("application/problem+json;charset=\"utf-8\"", "json 1"),
        ("text/plain", "text 1"), ("text/html; charset=utf-8", "text 1"),
        ("application/xml", "text 1"), ("image/svg+xml", "text 1"),
        ("application/javascript", "text 1"), ("application/yaml", "text 1"),
        ("application/x-ndjson", "text 1"), ("application/octet-stream", "bytes [49]"),
        ("image/png", "bytes [49]"), ("", "bytes [49]"), ("application/jsonx", "bytes [49]"),
    ])
    func `The Content-Type tells the format`(contentType: String, expected: String) throws {
        let content = try SnapshotContent(
            decoding: [0x31], contentType: contentType, format: .auto)
        #expect(Self.shown(content) == expected)
    }

    @Test func `Without a Content-Type valid UTF-8 is text and all else bytes`() throws {
        let text = try SnapshotContent(
            decoding: Array("{\"ä\":1}".utf8), contentType: nil, format: .auto)
        #expect(Self.shown(text) == "text {\"ä\":1}")
        let bytes = try SnapshotContent(decoding: [0xff, 0], contentType: nil, format: .auto)
        #expect(Self.shown(bytes) == "bytes [255, 0]")
    }

    @Test func `A format that is set wins over the Content-Type`() throws {
        let json = try SnapshotContent(decoding: [0x31], contentType: "text/html", format: .json)
        #expect(Self.shown(json) == "json 1")
        let bytes = try SnapshotContent(
            decoding: [0x31], contentType: "application/json", format: .bytes)
        #expect(Self.shown(bytes) == "bytes [49]")
    }

    @Test(
        arguments: [
            ("utf-8", [0xc3, 0xa9], "é"), ("UTF-8", [0xef, 0xbb, 0xbf, 0x61], "a"),
            ("us-ascii", [0x61], "a"), ("iso-8859-1", [0xe9, 0x80], "é€"),
            ("\"latin1\"", [0xfc, 0x81], "ü\u{81}"),
            ("windows-1252", [0x93, 0x94], "\u{201c}\u{201d}"),
            ("utf-16", [0xff, 0xfe, 0x61, 0x00], "a"), ("utf-16", [0xfe, 0xff, 0x00, 0x61], "a"),
            ("utf-16", [0x61, 0x00], "a"), ("utf-16le", [0xe9, 0x00], "é"),
            ("utf-16be", [0xd8, 0x3d, 0xde, 0x00], "😀"), ("utf-16be", [], ""),
        ] as [(String, [UInt8], String)])
    func `Charsets are decoded`(charset: String, body: [UInt8], expected: String) throws {
        let content = try SnapshotContent(
            decoding: body, contentType: "text/plain; charset=\(charset)", format: .auto)
        #expect(Self.shown(content) == "text \(expected)")
    }

    @Test(
        arguments: [
            ("text/plain", [0x61, 0xff], "byte 1 of the body is not UTF-8"),
            ("text/plain; charset=us-ascii", [0x61, 0x80], "byte 1 of the body is not US-ASCII"),
            (
                "text/plain; charset=utf-16le", [0x61, 0x00, 0x00, 0xdc],
                "byte 2 of the body is not UTF-16"
            ),
            (
                "text/plain; charset=utf-16be", [0x00, 0x61, 0x00],
                "byte 2 of the body is not UTF-16"
            ),
            (
                "text/plain; charset=klingon", [0x61],
                "the charset 'klingon' is not known: known are utf-8, us-ascii, iso-8859-1, "
                    + "windows-1252 and utf-16"
            ),
            (
                "application/json", [0x7b, 0x0a, 0x7d, 0x7d],
                "the body is not JSON: byte 3 (line 2, column 2): unexpected data after the value"
            ),
            ("application/json", [0x22, 0xff, 0x22], "byte 1 of the body is not UTF-8"),
        ] as [(String, [UInt8], String)])
    func `What can't be understood is a failure of extraction`(
        contentType: String, body: [UInt8], message: String
    ) {
        let failure = #expect(throws: PollFailure.self) {
            try SnapshotContent(decoding: body, contentType: contentType, format: .auto)
        }
        #expect(failure == PollFailure(kind: .extract, message: message))
    }

    @Test func `An empty body is text or bytes but not JSON`() throws {
        for format in [ContentFormat.text, .bytes] {
            _ = try SnapshotContent(decoding: [], contentType: nil, format: format)
        }
        #expect(
            Self.shown(
                try SnapshotContent(
                    decoding: [], contentType: nil, format: .auto)) == "text ")
        let failure = #expect(throws: PollFailure.self) {
            try SnapshotContent(decoding: [], contentType: "application/json", format: .auto)
        }
        #expect(
            failure
                == PollFailure(
                    kind: .body, message: "the body is empty, which is not JSON"))
    }

    @Test func `A byte order mark before JSON is passed over`() throws {
        let content = try SnapshotContent(
            decoding: [0xef, 0xbb, 0xbf, 0x31], contentType: "application/json", format: .auto)
        #expect(Self.shown(content) == "json 1")
    }

    @Test func `Contents of different kinds are one update of the whole`() throws {
        let json = SnapshotContent.json(try JSONValue(parsing: "1"))
        let summary = SnapshotContent.text("1").difference(from: json, rules: ComparisonRules())
        #expect(summary?.lines == ["~ json -> text"])
        #expect(summary?.updated == 1)
        #expect(summary?.patch == nil)
    }

    @Test func `Bytes differ by their sizes`() {
        let old = SnapshotContent.bytes([UInt8](repeating: 0, count: 1024))
        let new = SnapshotContent.bytes([UInt8](repeating: 0, count: 1_234_567))
        #expect(old.difference(from: old, rules: ComparisonRules()) == nil)
        let summary = new.difference(from: old, rules: ComparisonRules())
        #expect(summary?.lines == ["~ 1,024 -> 1,234,567 bytes"])
        #expect(summary?.updated == 1)
    }
}
