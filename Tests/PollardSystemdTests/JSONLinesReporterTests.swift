// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore
import PollardTestSupport
import Testing

@testable import PollardSystemd

@Suite struct JSONLinesReporterTests {
    private let instant = Timestamp(microseconds: 1_796_024_432_000_012)

    @Test func `An event is one line with the journal's fields`() throws {
        let capture = try OutputCapture()
        let reporter = JSONLinesReporter(output: capture.output) { [instant] in instant }
        reporter.report(
            EventEntry(
                id: .changed, priority: .notice, message: "a: changed\n+ /1 \"x\"",
                fields: [.init("POLLARD_ENDPOINT", "a"), .init("POLLARD_ADDED", "1")]))
        #expect(
            try capture.text() == """
                {"TIMESTAMP":"2026-11-30T07:40:32.000012Z","MESSAGE":"a: changed\\n+ /1 \\"x\\"",\
                "MESSAGE_ID":"d88e1c8bd2164bb5a2cc47241346be99","PRIORITY":"5",\
                "SYSLOG_IDENTIFIER":"pollard","POLLARD_ENDPOINT":"a","POLLARD_ADDED":"1"}

                """)
    }

    @Test func `A repeated name has an array`() {
        let entry = EventEntry(
            id: .polled, priority: .debug, message: "m",
            fields: [.init("A", "1"), .init("B", "2"), .init("A", "3")])
        #expect(
            JSONLinesReporter.line(for: entry, at: instant).hasSuffix(
                #","A":["1","3"],"B":"2"}"# + "\n"))
    }

    @Test func `Every character comes back from a JSON parser`() throws {
        let scalars = (0...0x2FFF).compactMap(Unicode.Scalar.init) + ["😀", "\u{10FFFF}"]
        let value = String(String.UnicodeScalarView(scalars))
        let entry = EventEntry(
            id: .polled, priority: .debug, message: "m", fields: [.init("POLLARD_PATCH", value)])
        let line = JSONLinesReporter.line(for: entry, at: instant)
        #expect(line.utf8.filter { $0 < 0x20 } == [0x0A])
        let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(object["POLLARD_PATCH"]?.unicodeScalars.elementsEqual(scalars) == true)
    }
}
