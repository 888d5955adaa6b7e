// SPDX-License-Identifier: Apache-2.0

extension AlertState {
    /// What is to be told about an endpoint's health.
    package enum Decision: Sendable, Hashable {
        /// The threshold was crossed by this poll.
        case failing
        /// A reminder is due, `outage` after the first of by now `failures` failed polls.
        case stillFailing(outage: Duration, failures: Int)
        /// The endpoint works again, `outage` after the first of `failures` failed polls.
        case recovered(outage: Duration, failures: Int)
    }

    /// How much earlier than it is due a reminder may be told.
    ///
    /// Polls start within milliseconds of their instants, before or after: without this, one in
    /// two reminders would be late by an interval.
    private static let reminderSlack = Duration.seconds(1)

    /// Notes a failed poll.
    ///
    /// - Returns: `failing` at the poll that crosses the threshold, `stillFailing` at the first
    ///   after each time that `policy` has for reminders, else nil.
    package mutating func noteFailure(at now: Timestamp, _ policy: AlertPolicy) -> Decision? {
        consecutiveSuccesses = 0
        consecutiveFailures += 1
        failures += 1
        recentFailures = recentFailures << 1 | 1
        failedSince = failedSince ?? now
        guard !isFailing else { return reminder(at: now, policy) }
        guard failures(countedBy: policy) >= policy.after else { return nil }
        isFailing = true
        remindedAt = now
        return .failing
    }

    /// The failed polls that count towards the threshold: those in a row, or those among the last
    /// `policy.within`.
    package func failures(countedBy policy: AlertPolicy) -> Int {
        guard let within = policy.within else { return consecutiveFailures }
        return (recentFailures & Self.mask(within)).nonzeroBitCount
    }

    /// The bits of the last `polls` polls.
    private static func mask(_ polls: Int) -> UInt64 {
        polls < UInt64.bitWidth ? (1 << UInt64(max(0, polls))) - 1 : .max
    }

    private mutating func reminder(at now: Timestamp, _ policy: AlertPolicy) -> Decision? {
        guard let remind = policy.remind else { return nil }
        let elapsed = (remindedAt ?? failedSince).map { now.since($0) } ?? .zero
        guard elapsed >= .zero else {
            // The clock was set back: counted anew, or it could be silent for as long as that.
            remindedAt = now
            return nil
        }
        guard elapsed + Self.reminderSlack >= remind else { return nil }
        remindedAt = now
        return .stillFailing(outage: outage(until: now), failures: failures)
    }

    /// The time since the first failed poll; zero if the clock was set back in between.
    private func outage(until now: Timestamp) -> Duration {
        max(failedSince.map { now.since($0) } ?? .zero, .zero)
    }

    /// Notes a good poll.
    ///
    /// - Returns: `recovered` at the poll that ends an outage that was told, else nil.
    package mutating func noteSuccess(at now: Timestamp, _ policy: AlertPolicy) -> Decision? {
        consecutiveSuccesses += 1
        consecutiveFailures = 0
        recentFailures <<= 1
        if isFailing {
            guard consecutiveSuccesses >= policy.recover else { return nil }
        } else if policy.within != nil, failures(countedBy: policy) > 0 {
            // A failure among those that count: what is told later begins with it.
            return nil
        }
        defer {
            failures = 0
            // What was told does not count towards the next threshold.
            recentFailures = 0
            failedSince = nil
            isFailing = false
            remindedAt = nil
        }
        guard isFailing else { return nil }
        return .recovered(outage: outage(until: now), failures: failures)
    }
}
