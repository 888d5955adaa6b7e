// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the store works, so that trouble is told once and its end once.
package final class StoreHealth: Sendable {
    private let isBroken = Mutex(false)

    package init() {}

    /// Notes that the store failed.
    ///
    /// - Returns: Whether this is news.
    package func noteFailure() -> Bool {
        isBroken.withLock { isBroken in
            defer { isBroken = true }
            return !isBroken
        }
    }

    /// Notes that the store took something.
    ///
    /// - Returns: Whether this is news.
    package func noteSuccess() -> Bool {
        isBroken.withLock { isBroken in
            defer { isBroken = false }
            return isBroken
        }
    }
}
