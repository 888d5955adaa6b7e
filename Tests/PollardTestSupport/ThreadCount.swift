// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Threads that somebody waits for at the end.
final class ThreadCount: Sendable {
    private let group = DispatchGroup()

    /// Runs `body` on a thread of its own.
    ///
    /// - Throws: `SystemCallError` if there can be no further thread.
    func start(_ body: @escaping @Sendable () -> Void) throws {
        let group = group
        group.enter()
        do {
            try startThread {
                body()
                group.leave()
            }
        } catch {
            group.leave()
            throw error
        }
    }

    /// Blocks until every thread has ended.
    func waitForEnd() { group.wait() }
}
