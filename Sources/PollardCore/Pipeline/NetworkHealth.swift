// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the network works, as all polls together show it.
package final class NetworkHealth: Sendable {
    private let state = Mutex(NetworkState())

    package init() {}

    /// When the present trouble began; nil if there is none.
    package var troubleSince: Timestamp? { state.withLock { $0.troubleSince } }

    /// As `NetworkState.noteAnswer(of:at:)`.
    func noteAnswer(of host: String, at now: Timestamp) -> Duration? {
        state.withLock { $0.noteAnswer(of: host, at: now) }
    }

    /// As `NetworkState.noteFailure(of:at:)`.
    func noteFailure(of host: String, at now: Timestamp) -> NetworkState.Verdict {
        state.withLock { $0.noteFailure(of: host, at: now) }
    }

    /// As `NetworkState.keep(_:at:)`.
    func keep(_ hosts: [String: Bool], at now: Timestamp) -> Duration? {
        state.withLock { $0.keep(hosts, at: now) }
    }
}
