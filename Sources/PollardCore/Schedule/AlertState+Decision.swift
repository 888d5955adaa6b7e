// SPDX-License-Identifier: Apache-2.0

extension AlertState {
    /// What is to be told about an endpoint's health.
    package enum Decision: Sendable, Hashable {
        /// The threshold was crossed by this poll.
        case failing
        /// The endpoint works again, `outage` after the first of `failures` failed polls.
        case recovered(outage: Duration, failures: Int)
    }

    /// Notes a failed poll.
    ///
    /// - Returns: `failing` at the poll that crosses the threshold, else nil.
    package mutating func noteFailure(at now: Timestamp, _ policy: AlertPolicy) -> Decision? {
        consecutiveSuccesses = 0
        consecutiveFailures += 1
        failedSince = failedSince ?? now
        guard !isFailing, consecutiveFailures >= policy.after else { return nil }
        isFailing = true
        return .failing
    }

    /// Notes a good poll.
    ///
    /// - Returns: `recovered` at the poll that ends an outage that was told, else nil.
    package mutating func noteSuccess(at now: Timestamp, _ policy: AlertPolicy) -> Decision? {
        consecutiveSuccesses += 1
        if isFailing {
            guard consecutiveSuccesses >= policy.recover else { return nil }
        }
        defer {
            consecutiveFailures = 0
            failedSince = nil
            isFailing = false
        }
        guard isFailing else { return nil }
        let outage = failedSince.map { now.since($0) } ?? .zero
        return .recovered(outage: max(outage, .zero), failures: consecutiveFailures)
    }
}
