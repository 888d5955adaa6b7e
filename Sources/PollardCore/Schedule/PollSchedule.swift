// SPDX-License-Identifier: Apache-2.0

/// When an endpoint is polled: at `phase`, `phase + interval`, `phase + 2 * interval` and so on.
///
/// Counted from the epoch of the wall clock, so that a restart continues in the same phase; the
/// phase comes from the name, so that many endpoints spread over the interval.
package struct PollSchedule: Sendable, Hashable {
    /// The time between two polls, in microseconds.
    package let interval: Int64
    /// The offset within the interval, in microseconds; less than `interval`.
    package let phase: Int64

    /// Makes the schedule of the endpoint `name`.
    ///
    /// - Parameters:
    ///   - name: What the phase is taken from.
    ///   - interval: The time between two polls; positive.
    ///   - jitter: The share of the interval over which phases spread, 0 to 1.
    package init(name: EndpointName, interval: Duration, jitter: Double) {
        var hash = StableHash()
        hash.combine(name.rawValue)
        // 53 bits are what a Double holds exactly.
        let share = Double(hash.value >> 11) / Double(UInt64(1) << 53) * min(max(jitter, 0), 1)
        self.interval = max(1, interval.wholeMicroseconds)
        phase = min(self.interval - 1, Int64(Double(self.interval) * share))
    }

    /// The first instant of the schedule that is later than `now`.
    package func next(after now: Timestamp) -> Timestamp {
        let place = now.microseconds % interval
        let gap = phase - (place < 0 ? place + interval : place)
        return Timestamp(microseconds: now.microseconds + (gap > 0 ? gap : gap + interval))
    }

    /// How soon after a start an endpoint is polled whose last poll is more than an interval ago,
    /// or that was never polled; nil if its turn comes soon anyway.
    ///
    /// Nobody wants to wait a day for a first answer. Spread as the phase is, so that thousands of
    /// endpoints do not start at once.
    package var catchUpDelay: Duration? {
        guard interval > Self.catchUpSpan else { return nil }
        return .microseconds(Int64(Double(Self.catchUpSpan) * Double(phase) / Double(interval)))
    }

    /// The span over which overdue endpoints are spread, in microseconds: the default interval.
    private static let catchUpSpan: Int64 = 60_000_000
}
