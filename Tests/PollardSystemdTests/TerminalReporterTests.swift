// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore
import PollardTestSupport
import Testing

@testable import PollardSystemd

@Suite struct TerminalReporterTests {
    private let time = CalendarTime(date: "2026-11-30", time: "07:40:32")

    @Test func `Details are indented below the message`() {
        let entry = entry(
            .changed, .notice, "products: changed: 1 added, 1 updated\n+ /3 {}\n~ /0/price 10 -> 12"
        )
        #expect(
            TerminalReporter.text(for: entry, at: time, style: .plain) == """
                07:40:32  products: changed: 1 added, 1 updated
                          + /3 {}
                          ~ /0/price 10 -> 12

                """)
    }

    @Test func `Colours tell added, removed, updated and moved apart`() {
        let entry = entry(.changed, .notice, "products: changed\n+ /3\n- /4\n~ /0\n> /1\n... 2")
        #expect(
            TerminalReporter.text(for: entry, at: time, style: .coloured) == """
                \u{1b}[2m07:40:32\u{1b}[0m  \u{1b}[1mproducts\u{1b}[0m\u{1b}[2m:\u{1b}[0m changed
                          \u{1b}[32m+ /3\u{1b}[0m
                          \u{1b}[31m- /4\u{1b}[0m
                          \u{1b}[33m~ /0\u{1b}[0m
                          \u{1b}[36m> /1\u{1b}[0m
                          \u{1b}[2m... 2\u{1b}[0m

                """)
    }

    @Test(arguments: [
        (MessageID.failing, JournalPriority.err, "1;31"), (.recovered, .notice, "1;32"),
        (.storeTrouble, .crit, "1;31"), (.overrunning, .warning, "33"), (.polled, .debug, "2"),
    ])
    func `Colours tell trouble and its end`(
        id: MessageID, priority: JournalPriority, rendition: String
    ) {
        let text = TerminalReporter.text(
            for: entry(id, priority, "products: text"), at: time, style: .coloured)
        #expect(text.hasSuffix("\u{1b}[\(rendition)m text\u{1b}[0m\n"))
    }

    @Test(arguments: ["\u{1b}]0;title\u{7}", "\u{9b}31m", "\r", "\u{8}"])
    func `What a server sends never steers the terminal`(text: String) {
        let entry = entry(.changed, .notice, "products: \(text)\n+ \(text)", endpoint: text)
        let output = TerminalReporter.text(for: entry, at: time, style: .plain)
        #expect(
            output.unicodeScalars.filter { $0.properties.generalCategory == .control } == [
                "\n", "\n",
            ])
    }

    @Test func `A date parts one day from the next`() throws {
        let capture = try OutputCapture()
        let clock = Watched(Timestamp(microseconds: 0))
        let reporter = TerminalReporter(
            output: capture.output, style: .plain, now: { clock.value })
        let day: Int64 = 86_400_000_000
        for instant in [0, day, day] {
            clock.update { $0 = Timestamp(microseconds: instant) }
            reporter.report(entry(.started, .info, "m"))
        }
        let first = CalendarTime.local(Timestamp(microseconds: 0))
        let second = CalendarTime.local(Timestamp(microseconds: day))
        #expect(
            try capture.text() == """
                \(first.time)  m
                \(second.date)
                \(second.time)  m
                \(second.time)  m

                """)
    }

    @Test(arguments: [
        (true, ["TERM": "xterm"], true), (false, ["TERM": "xterm"], false),
        (true, ["TERM": "xterm", "NO_COLOR": "1"], false),
        (true, ["TERM": "xterm", "NO_COLOR": ""], true), (true, ["TERM": "dumb"], false),
        (true, [:], false),
    ])
    func `Colours are for terminals whose user wants them`(
        isTerminal: Bool, environment: [String: String], isColoured: Bool
    ) {
        let style = TerminalStyle.automatic(isTerminal: isTerminal) { environment[$0] }
        #expect(style.isColoured == isColoured)
    }

    @Test(arguments: [0, -1, 1_796_024_432_000_012, 1_782_000_000_000_000, 951_782_400_000_000])
    func `Local time and UTC are what Foundation says`(microseconds: Int64) {
        let instant = Timestamp(microseconds: microseconds)
        let date = Date(timeIntervalSince1970: (Double(microseconds) / 1_000_000).rounded(.down))
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        let local = CalendarTime.local(instant)
        #expect("\(local.date) \(local.time)" == formatter.string(from: date))
        formatter.timeZone = .gmt
        let utc = CalendarTime.utc(instant)
        #expect("\(utc.date) \(utc.time)" == formatter.string(from: date))
    }

    private func entry(
        _ id: MessageID, _ priority: JournalPriority, _ message: String,
        endpoint: String = "products"
    ) -> EventEntry {
        EventEntry(
            id: id, priority: priority, message: message,
            fields: [.init("POLLARD_ENDPOINT", endpoint)])
    }
}
