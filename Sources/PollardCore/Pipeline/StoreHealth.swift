// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the store works, so that trouble is told once and its end once.
///
/// On a disk that is nearly full, small writes succeed while a large body still fails: trouble is
/// over only when all that failed has been made up for.
package final class StoreHealth: Sendable {
    private struct Trouble {
        /// Endpoints whose last good answer could not be compared or stored.
        var endpoints: Set<EndpointName> = []
        /// Whether what is written for all endpoints together could not be.
        var isShared = false

        var isOver: Bool { endpoints.isEmpty && !isShared }
    }

    private let trouble = Mutex(Trouble())

    package init() {}

    /// Whether something is missing from the store.
    package var hasTrouble: Bool { trouble.withLock { !$0.isOver } }

    /// Notes that the store failed.
    ///
    /// - Parameter name: The endpoint whose snapshot it concerns; nil for what is written for all.
    /// - Returns: Whether this is news.
    package func noteFailure(of name: EndpointName? = nil) -> Bool {
        trouble.withLock { trouble in
            let isNews = trouble.isOver
            if let name { trouble.endpoints.insert(name) } else { trouble.isShared = true }
            return isNews
        }
    }

    /// Notes that nothing of what `noteFailure(of:)` named is missing from the store any more.
    ///
    /// - Parameter name: As for the failure.
    /// - Returns: Whether this ends all trouble.
    package func noteSuccess(of name: EndpointName? = nil) -> Bool {
        trouble.withLock { trouble in
            guard !trouble.isOver else { return false }
            if let name { trouble.endpoints.remove(name) } else { trouble.isShared = false }
            return trouble.isOver
        }
    }
}
