// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc
package import PollardCore
internal import Synchronization

/// Reports events to the journal, with all their fields (sd_journal_sendv(3)).
///
/// Where there is no journal, the messages go to standard error as lines with their level in front
/// (sd-daemon(3)), and the first of them is preceded by one that says so.
package final class JournalReporter: Reporting {
    /// Where journald listens; fixed in libsystemd.
    package static let journalSocket = "/run/systemd/journal/socket"

    private let socket: String
    private let fallback: LineOutput
    private let hasToldOfFallback = Mutex(false)

    /// - Parameters:
    ///   - socket: What must exist for the journal to be there; another only in tests.
    ///   - fallback: Where lines go without a journal.
    package init(
        socket: String = JournalReporter.journalSocket, fallback: LineOutput = .standardError
    ) {
        self.socket = socket
        self.fallback = fallback
    }

    package func report(_ entry: EventEntry) {
        let record = JournalRecord(entry)
        // libsystemd calls it a success if there is no socket.
        let code = unsafe access(socket, F_OK) == 0 ? send(record) : errno
        if code != 0 { writeToFallback(entry, because: code) }
    }

    /// Sends the record, waiting while journald is busy.
    ///
    /// - Returns: The error number, 0 for success.
    private func send(_ record: JournalRecord) -> CInt {
        var bytes: [UInt8] = []
        var lengths: [Int] = []
        for field in record.fields {
            let start = bytes.count
            bytes += field.name.utf8
            bytes.append(UInt8(ascii: "="))
            bytes += field.value.utf8
            lengths.append(bytes.count - start)
        }
        return unsafe bytes.withUnsafeMutableBytes { buffer in
            var start = 0
            var parts = unsafe [iovec]()
            for length in lengths {
                unsafe parts.append(
                    iovec(iov_base: buffer.baseAddress?.advanced(by: start), iov_len: length))
                start += length
            }
            return unsafe -sd_journal_sendv(parts, CInt(parts.count))
        }
    }

    private func writeToFallback(_ entry: EventEntry, because code: CInt) {
        let isFirst = hasToldOfFallback.withLock { hasTold in
            defer { hasTold = true }
            return !hasTold
        }
        if isFirst {
            let cause = SystemdError(attempt: "reach the journal at '\(socket)'", code: code)
            fallback.write(
                Self.prefixedLines(
                    "\(cause); events are written to standard error, without their fields",
                    priority: .warning))
        }
        fallback.write(Self.prefixedLines(entry.message, priority: entry.priority))
    }

    /// Each line of `text` with the level in front, as in `<3>`.
    static func prefixedLines(_ text: String, priority: JournalPriority) -> String {
        text.printable.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "<\(priority.rawValue)>\($0)\n" }.joined()
    }
}
