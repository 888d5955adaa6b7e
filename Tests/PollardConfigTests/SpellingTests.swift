// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardConfig

@Suite struct SpellingTests {
    @Test(
        arguments: [
            ("intervall", "interval"), ("itnerval", "interval"), ("Interval", "interval"),
            ("connect-timeout", "connect_timeout"), ("connectTimeout", "connect_timeout"),
            ("ulr", "url"), ("u", nil), ("colour", nil), ("", nil),
            (String(repeating: "x", count: 100_000), nil),
        ] as [(String, String?)])
    func `The hint is the nearest key that is near enough`(word: String, key: String?) {
        let keys = ["interval", "url", "connect_timeout", "path"]
        #expect(Spelling.hint(for: word, among: keys) == key.map { "did you mean '\($0)'?" })
    }

    @Test func `What a message quotes is short and has no control characters`() {
        #expect("a\u{1B}[31m\n\u{202E}é".shown == "a\\u{1b}[31m\\u{a}\\u{202e}é")
        #expect(String(repeating: "a", count: 61).shown == String(repeating: "a", count: 60) + "…")
    }
}
