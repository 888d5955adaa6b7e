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
    private let keys = ["interval", "timeout", "headers", "name", "url"]

    @Test(arguments: [
        ("intervall", "interval"), ("inetrval", "interval"), ("tiemout", "timeout"),
        ("nmae", "name"), ("ulr", "url"),
    ])
    func `A slip of the pen finds its word`(word: String, expected: String) {
        #expect(Suggestion.nearest(to: word, among: keys) == expected)
    }

    @Test func `A word like no other finds nothing`() {
        #expect(Suggestion.nearest(to: "schedule", among: keys) == nil)
        #expect(Suggestion.nearest(to: "xyz", among: []) == nil)
    }
}
