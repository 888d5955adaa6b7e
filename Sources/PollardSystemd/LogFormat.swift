// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import PollardCore

/// The forms in which events can be reported, by their names on the command line.
package enum LogFormat: String, Sendable, CaseIterable {
    /// Entries with fields, in the journal.
    case journal
    /// Lines for people.
    case text
    /// One JSON object a line.
    case json

    /// The form that fits where the process runs: the journal if standard error leads there.
    ///
    /// systemd names the device and inode of the journal's stream in `$JOURNAL_STREAM`, which says
    /// nothing in a child whose standard error leads elsewhere (systemd.exec(5)).
    package static func automatic() -> LogFormat {
        automatic(journalStream: environmentText("JOURNAL_STREAM"), descriptor: STDERR_FILENO)
    }

    static func automatic(journalStream: String?, descriptor: CInt) -> LogFormat {
        var status = stat()
        guard let journalStream, unsafe fstat(descriptor, &status) == 0 else { return .text }
        return journalStream == "\(status.st_dev):\(status.st_ino)" ? .journal : .text
    }

    /// Makes what reports in this form.
    ///
    /// - Parameter output: Where lines go, if the form has lines.
    /// - Returns: The reporter; the journal's needs no output.
    package func reporter(output: LineOutput = .standardOutput) -> any Reporting {
        switch self {
        case .journal: JournalReporter()
        case .text: TerminalReporter(output: output)
        case .json: JSONLinesReporter(output: output)
        }
    }
}
