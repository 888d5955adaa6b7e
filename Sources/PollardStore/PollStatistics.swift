// SPDX-License-Identifier: Apache-2.0

package import PollardCore

/// Polls of one endpoint, counted over some time.
package struct PollStatistics: Sendable, Hashable {
    /// All polls, failed ones too.
    package var polls = 0
    package var failures = 0
    /// The durations of good polls: how soon a failure failed says nothing about the endpoint.
    package var latency = LatencyHistogram()

    package init() {}

    /// Counts one poll.
    package mutating func record(_ poll: NotedPoll) {
        polls += 1
        if poll.isFailure { failures += 1 } else { latency.record(poll.duration) }
    }

    /// Adds all that `other` counted.
    package mutating func merge(_ other: PollStatistics) {
        polls += other.polls
        failures += other.failures
        latency.merge(other.latency)
    }
}

extension Timestamp {
    /// The number of the hour since 1970 that holds this instant.
    var hour: Int64 {
        let hour: Int64 = 3_600_000_000
        // Rounded down also before 1970, which a clock without a battery starts at.
        return microseconds / hour - (microseconds % hour < 0 ? 1 : 0)
    }
}
