// SPDX-License-Identifier: Apache-2.0

/// An instant of the clock that no one sets, which stands still while the machine is suspended.
package struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Since an origin that is fixed for the life of the process.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time from `earlier` to this instant.
    package func since(_ earlier: MonotonicTime) -> Duration {
        .nanoseconds(nanoseconds - earlier.nanoseconds)
    }

    /// The instant `duration` later.
    package func advanced(by duration: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds + duration.wholeNanoseconds)
    }
}
