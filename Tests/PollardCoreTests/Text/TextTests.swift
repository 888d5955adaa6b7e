// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct HumaneTests {
    @Test(arguments: [
        (Duration.zero, "0 µs"), (.microseconds(850), "850 µs"), (.microseconds(1000), "1 ms"),
        (.microseconds(12_340), "12.3 ms"), (.milliseconds(250), "250 ms"),
        (.milliseconds(4_560), "4.5 s"), (.seconds(59), "59 s"), (.seconds(60), "1min"),
        (.seconds(725), "12min"), (.seconds(3600), "1h"), (.seconds(11_130), "3h 5min"),
        (.seconds(187_200), "2d 4h"), (.seconds(-5), "0 µs"),
    ])
    func `Durations read as people say them`(duration: Duration, text: String) {
        #expect(duration.humane == text)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1203, "1,203"), (1_234_567, "1,234,567"), (-1203, "-1,203"),
    ])
    func `Numbers have commas between thousands`(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}

@Suite struct SuggestionTests {
    @Test(
        arguments: [
            ("intervall", "interval"), ("itnerval", "interval"), ("Interval", "interval"),
            ("connect-timeout", "connect_timeout"), ("connectTimeout", "connect_timeout"),
            ("ulr", "url"), ("nmae", "name"), ("u", nil), ("colour", nil), ("schedule", nil),
            ("", nil), (String(repeating: "x", count: 100_000), nil),
        ] as [(String, String?)])
    func `The nearest word is suggested if it is near enough`(word: String, nearest: String?) {
        let words = ["interval", "url", "connect_timeout", "path", "name"]
        #expect(Suggestion.nearest(to: word, among: words) == nearest)
        #expect(Suggestion.hint(for: word, among: words) == nearest.map { "did you mean '\($0)'?" })
        #expect(Suggestion.nearest(to: word, among: []) == nil)
    }

    @Test func `Of two words that are equally near the first by name is suggested`() {
        #expect(Suggestion.nearest(to: "cat", among: ["hat", "bat"]) == "bat")
        #expect(Suggestion.nearest(to: "cat", among: ["bat", "hat"]) == "bat")
    }
}

@Suite struct SafeTextTests {
    @Test func `What steers a terminal or hides in a line is escaped`() {
        let text = "a\tb\nc\u{1B}[2J\u{7F}\u{9B}\u{AD}\u{200B}\u{202E}\u{2028}\u{FEFF}é"
        let marks = #"\u001b[2J\u007f\u009b\u00ad\u200b\u202e\u2028\ufeffé"#
        #expect(SafeText.line(text) == #"a\tb\nc"# + marks)
        #expect(text.printable == "a\tb\nc" + marks)
        #expect("👩‍🚀".printable == "👩‍🚀" && SafeText.line("👩‍🚀") == #"👩\u200d🚀"#)
    }

    @Test func `A line is cut by characters`() {
        #expect(SafeText.line("abcd", maximumLength: 4) == "abcd")
        #expect(SafeText.line("abcde", maximumLength: 4) == "abcd…")
        #expect(SafeText.line("𝄞𝄞𝄞", maximumLength: 2) == "𝄞𝄞…")
    }
}
