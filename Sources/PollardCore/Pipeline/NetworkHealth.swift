// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the network works, as all polls together show it.
package final class NetworkHealth: Sendable {
    private let state = Mutex(NetworkState())

    package init() {}

    /// When the present trouble began; nil if there is none.
    package var troubleSince: Timestamp? { state.withLock { $0.troubleSince } }

    /// As `NetworkState.noteAnswer(of:at:)`.
    func noteAnswer(of host: String, at start: Timestamp) -> NetworkState.End? {
        state.withLock { $0.noteAnswer(of: host, at: start) }
    }

    /// As `NetworkState.noteOtherFailure(of:at:)`.
    func noteOtherFailure(of host: String, at start: Timestamp) -> NetworkState.End? {
        state.withLock { $0.noteOtherFailure(of: host, at: start) }
    }

    /// As `NetworkState.noteSilence(of:isNew:at:)`.
    func noteSilence(
        of host: String, isNew: Bool, at start: Timestamp
    ) -> NetworkState.Verdict {
        state.withLock { $0.noteSilence(of: host, isNew: isNew, at: start) }
    }

    /// As `NetworkState.keep(_:at:)`.
    func keep(_ hosts: [String: Bool], at now: Timestamp) -> NetworkState.End? {
        state.withLock { $0.keep(hosts, at: now) }
    }
}
