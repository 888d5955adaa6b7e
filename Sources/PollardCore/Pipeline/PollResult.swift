// SPDX-License-Identifier: Apache-2.0

/// What one poll led to.
package struct PollResult: Sendable, Hashable {
    package var outcome: PollOutcome
    /// The state of the endpoint from now on.
    package var state: EndpointState
    /// The number of requests sent.
    package var attempts: Int

    package init(outcome: PollOutcome, state: EndpointState, attempts: Int = 0) {
        self.outcome = outcome
        self.state = state
        self.attempts = attempts
    }
}

/// What became of one poll.
package enum PollOutcome: Sendable, Hashable {
    /// The answer amounts to the stored snapshot.
    case unchanged
    /// The first snapshot was stored.
    case first
    /// A change was stored.
    case changed
    /// Something new waits to be stored; it is told then.
    case kept
    /// There may be something new, which could not be compared or kept; the next poll sees it
    /// again.
    case notStored
    case failed(PollFailure.Kind)
    /// The poll was ended early and counts for nothing.
    case cancelled

    /// The outcome in a word or two.
    package var text: String {
        switch self {
        case .unchanged: "unchanged"
        case .first: "first snapshot"
        case .changed: "changed"
        case .kept: "changed, waits to be stored"
        case .notStored: "not stored"
        case .failed(let kind): "failed (\(kind.rawValue))"
        case .cancelled: "cancelled"
        }
    }
}
