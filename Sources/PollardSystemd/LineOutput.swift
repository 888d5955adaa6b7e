// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Writes whole lines to a file descriptor, so that those of two threads never mix.
package final class LineOutput: Sendable {
    /// The process's standard output.
    package static let standardOutput = LineOutput(descriptor: STDOUT_FILENO)
    /// The process's standard error.
    package static let standardError = LineOutput(descriptor: STDERR_FILENO)

    /// Whether people look at it: the descriptor is a terminal.
    package let isTerminal: Bool
    /// Whether colours may be written: they are not for a terminal without, nor against `$NO_COLOR`.
    package var isColoured: Bool {
        TerminalStyle.automatic(isTerminal: isTerminal) { environmentText($0) }.isColoured
    }
    /// Whether it was a terminal that is gone by now.
    package var hasHungUp: Bool { isTerminal && isatty(descriptor) == 0 }
    let descriptor: CInt
    private let turn = Mutex(())

    /// - Parameter descriptor: Open for writing, and kept open by the caller.
    package init(descriptor: CInt) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Writes `text`, which ends in a newline, in full.
    ///
    /// What can't be written is lost: for a daemon there is no other place left to say so.
    package func write(_ text: String) {
        do throws(SystemdError) { try writeAll(Array(text.utf8)) } catch {}
    }

    /// Writes `bytes` in full.
    ///
    /// - Throws: `SystemdError` if not all can be written, as on a full disk.
    package func writeAll(_ bytes: [UInt8]) throws(SystemdError) {
        var start = 0
        let failure: CInt? = turn.withLock { _ in
            while start < bytes.count {
                let count = unsafe bytes[start...].withUnsafeBytes { rest in
                    unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                }
                if count >= 0 {
                    start += count
                } else if !mayTryAgain(after: errno) {
                    return errno
                }
            }
            return nil
        }
        if let failure { throw SystemdError(attempt: "write the output", code: failure) }
    }

    /// Waits until writing has a chance again, if the failure was only one of the moment.
    ///
    /// A terminal may be set to not block by any program that shares it.
    private func mayTryAgain(after code: CInt) -> Bool {
        switch code {
        case EINTR: return true
        case EAGAIN:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return unsafe poll(&request, 1, -1) > 0 || errno == EINTR
        default: return false
        }
    }
}
