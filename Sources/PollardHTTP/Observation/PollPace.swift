// SPDX-License-Identifier: Apache-2.0

/// When polls are due: at multiples of an interval, whatever each of them takes.
struct PollPace: Sendable, Hashable {
    /// The time from one poll to the next.
    let interval: Duration

    /// Clocks are not finer, and a request takes longer; less would be polling without a pause.
    static let shortestInterval = Duration.milliseconds(1)

    init(interval: Duration) { self.interval = max(interval, Self.shortestInterval) }

    /// The time of the next poll; all times count from the first one.
    ///
    /// - Parameters:
    ///   - due: The time of the poll that was just made.
    ///   - now: The time now, at which it ended.
    /// - Returns: The first multiple after both.
    func next(after due: Duration, now: Duration) -> Duration {
        let next = due + interval
        guard next <= now else { return next }
        let missed = Int64(((now - next) / interval).rounded(.down)) + 1
        return next + interval * missed
    }
}
