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
    let descriptor: CInt
    private let turn = Mutex(())

    /// - Parameter descriptor: Open for writing, and kept open by the caller.
    package init(descriptor: CInt) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Writes `text`, which ends in a newline, in full.
    ///
    /// What can't be written is lost: there is no other place left to say so.
    package func write(_ text: String) { _ = writeAll(Array(text.utf8)) }

    /// Writes `bytes` in full.
    ///
    /// - Throws: `OutputError` if not all could be written, as on a full disk.
    package func write(bytes: [UInt8]) throws(OutputError) {
        let code = writeAll(bytes)
        guard code == 0 else { throw OutputError(code: code) }
    }

    /// Writes `bytes`, and returns 0 or the number of the error that ended it (errno(3)).
    private func writeAll(_ bytes: [UInt8]) -> CInt {
        var start = 0
        return turn.withLock { _ in
            while start < bytes.count {
                let count = unsafe bytes[start...].withUnsafeBytes { rest in
                    unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                }
                let code = errno
                if count >= 0 {
                    start += count
                } else if !mayTryAgain(after: code) {
                    return code
                }
            }
            return 0
        }
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
