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
}
