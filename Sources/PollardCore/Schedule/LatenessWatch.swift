// SPDX-License-Identifier: Apache-2.0

/// Notices polls that begin much later than they are due, and says so seldom.
///
/// All polls are late together when the machine is overloaded or the process was stopped: that is
/// one trouble of the machine, not one of each endpoint.
package struct LatenessWatch: Sendable {
    /// How late a poll may begin without a word.
    ///
    /// A loaded machine makes a poll late by some tenths of a second; this is a twelfth of the
    /// default interval, and half of what the watchdog bears.
    package static let tolerated = Duration.seconds(5)
    /// The time between two reports: load that lasts is told each hour, not at each poll.
    package static let period = Duration.seconds(3600)

    /// What is to be told.
    package struct Report: Sendable, Hashable {
        /// The number of late polls since the last report.
        package var polls: Int
        /// How late the latest of them began.
        package var worst: Duration

        package init(polls: Int, worst: Duration) {
            self.polls = polls
            self.worst = worst
        }
    }

    private var pending = Report(polls: 0, worst: .zero)
    private var toldAt: MonotonicTime?

    package init() {}

    /// Notes the polls that begin at `now`.
    ///
    /// - Parameters:
    ///   - lateness: How much later than due each begins.
    ///   - now: The time.
    /// - Returns: What is to be told: the late polls of this instant, and those since the last
    ///   report; nil if there is none, or the last report is not long enough ago.
    package mutating func note(_ lateness: some Sequence<Duration>, at now: MonotonicTime)
        -> Report?
    {
        var hasLate = false
        for late in lateness where late > Self.tolerated {
            hasLate = true
            pending.polls += 1
            pending.worst = max(pending.worst, late)
        }
        guard hasLate else { return nil }
        if let toldAt, now.since(toldAt) < Self.period { return nil }
        toldAt = now
        defer { pending = Report(polls: 0, worst: .zero) }
        return pending
    }
}
