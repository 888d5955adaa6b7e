// SPDX-License-Identifier: Apache-2.0

/// An instant of the wall clock, in microseconds since 1970-01-01 00:00:00 UTC.
package struct Timestamp: Sendable, Hashable, Comparable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The time from `earlier` to this instant; negative if the clock was set back in between.
    package func since(_ earlier: Timestamp) -> Duration {
        // A damaged store may hold any number as a time.
        let (difference, isTooLong) = microseconds.subtractingReportingOverflow(
            earlier.microseconds)
        guard isTooLong else { return .microseconds(difference) }
        return .microseconds(earlier.microseconds < 0 ? Int64.max : Int64.min)
    }

    /// The instant `duration` later.
    package func advanced(by duration: Duration) -> Timestamp {
        Timestamp(microseconds: microseconds + duration.wholeMicroseconds)
    }
}

extension Duration {
    /// The duration in whole microseconds, rounded towards zero.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    /// The duration in whole nanoseconds, rounded towards zero.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
