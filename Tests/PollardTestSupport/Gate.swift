// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A door that is shut until opened, once and for good; awaited by tasks and by server threads.
///
/// A test holds an answer back with `Reply.Step.wait(gate)` until it calls `gate.open()`, or learns
/// that the server came to a step with `Reply.Step.open(gate)` and `await gate.wait()`.
package final class Gate: Sendable {
    /// Becomes readable, and stays so, when the gate opens.
    var descriptor: CInt { pipe.readingEnd }
    private let pipe: Pipe
    private let isOpenNow = Watched(false)

    /// Makes a shut gate.
    ///
    /// - Throws: `SystemCallError` if no descriptor is left.
    package init() throws {
        pipe = try Pipe()
    }

    deinit { pipe.close() }

    /// Whether the gate was opened.
    package var isOpen: Bool { isOpenNow.value }

    /// Opens the gate; does nothing if it is open.
    package func open() {
        let wasOpen = isOpenNow.update { isOpen in
            defer { isOpen = true }
            return isOpen
        }
        if !wasOpen { _ = unsafe write(pipe.writingEnd, [1], 1) }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `TimedOut`, or `CancellationError` if the task is cancelled.
    package func wait(timeout: Duration = testPatience) async throws {
        try await isOpenNow.wait(for: "a gate to open", timeout: timeout) { $0 }
    }
}
