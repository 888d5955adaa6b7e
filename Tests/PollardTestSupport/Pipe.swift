// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The two ends of a pipe (pipe(7)); neither is inherited by programs that are run.
struct Pipe {
    /// What a pipe holds before a writer waits.
    static let capacity = 64 << 10

    let readingEnd: CInt
    let writingEnd: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemCallError("pipe") }
        // pipe2(2), which does this at once, is not in `Glibc`.
        for end in ends { closeOnExec(end) }
        readingEnd = ends[0]
        writingEnd = ends[1]
    }

    func close() {
        Glibc.close(readingEnd)
        Glibc.close(writingEnd)
    }

    /// Reads until every writing end is closed.
    static func readToEnd(_ descriptor: CInt, each: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: capacity)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            each(buffer[..<count])
        }
    }
}

/// Keeps a descriptor from programs that are run.
func closeOnExec(_ descriptor: CInt) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
