// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

@testable import PollardSystemd

/// What is written where there is no journal; SystemdMachineTests has the journal itself.
@Suite struct JournalReporterTests {
    @Test func `Without a journal, lines with levels go to standard error, which is said once`()
        throws
    {
        let capture = try OutputCapture()
        let reporter = JournalReporter(socket: "/nonexistent/socket", fallback: capture.output)
        let failing = EventEntry(
            id: .failing, priority: .err, message: "a: failing: \u{1b}[31m\nsecond line")
        reporter.report(failing)
        reporter.report(EventEntry(id: .recovered, priority: .notice, message: "a: recovered"))
        #expect(
            try capture.text() == """
                <4>cannot reach the journal at '/nonexistent/socket': no such file or directory; \
                events are written to standard error, without their fields
                <3>a: failing: \\u001b[31m
                <3>second line
                <5>a: recovered

                """)
    }
}
