// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// The part of `Subprocess` that its threads share: reads what is written, and reaps.
final class ProcessWatch: Sendable {
    let result = Watched(Subprocess.Result())
    private let process: pid_t
    private let output: CInt
    private let errors: CInt
    /// True once the process is reaped, when its number may be another's.
    private let isReaped = Mutex(false)

    init(_ process: pid_t, output: CInt, errors: CInt) {
        self.process = process
        self.output = output
        self.errors = errors
    }

    /// Starts the threads, which end with the process and its output.
    func start() throws {
        let readers = ThreadCount()
        try readers.start {
            Pipe.readToEnd(self.output) { bytes in self.result.update { $0.output += bytes } }
            close(self.output)
        }
        try readers.start {
            Pipe.readToEnd(self.errors) { bytes in self.result.update { $0.errors += bytes } }
            close(self.errors)
        }
        try startThread {
            let status = self.reap()
            readers.waitForEnd()
            self.result.update { $0.status = status }
        }
    }

    /// Sends a signal to `target`, the process or its group, unless the process is reaped.
    func signal(_ number: CInt, to target: pid_t) {
        isReaped.withLock { isReaped in
            if !isReaped { _ = kill(target, number) }
        }
    }

    private func reap() -> Subprocess.Status {
        // First wait without reaping (WNOWAIT): a signal may be sent all the while.
        var ended = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(process), &ended, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else { break }
        }
        // Children would keep the output open; the group can't be another's before the reaping.
        _ = kill(-process, SIGKILL)
        var status: CInt = 0
        isReaped.withLock { isReaped in
            _ = unsafe waitpid(process, &status, 0)
            isReaped = true
        }
        // The layout of a wait status, whose macros are not imported (wait(2)).
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
}
