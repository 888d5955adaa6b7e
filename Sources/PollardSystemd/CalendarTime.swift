// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import PollardCore

/// An instant as people write it: date and time of day in some time zone.
///
/// Made by the C library, since FoundationEssentials knows no time zones by name.
package struct CalendarTime: Sendable, Equatable {
    /// The date as `2026-11-30`.
    package let date: String
    /// The time of day as `07:40:32`.
    package let time: String

    /// The instant in the time zone of `$TZ`, or else of `/etc/localtime`.
    package static func local(_ instant: Timestamp) -> CalendarTime {
        var seconds = time_t(instant.wholeSeconds)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return unsafe CalendarTime(parts)
    }

    /// The instant in UTC.
    static func utc(_ instant: Timestamp) -> CalendarTime {
        var seconds = time_t(instant.wholeSeconds)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        return unsafe CalendarTime(parts)
    }

    init(date: String, time: String) {
        self.date = date
        self.time = time
    }

    private init(_ parts: tm) {
        let year = unsafe 1900 + Int(parts.tm_year)
        let month = unsafe Int(parts.tm_mon) + 1
        let (day, hour) = unsafe (Int(parts.tm_mday), Int(parts.tm_hour))
        let (minute, second) = unsafe (Int(parts.tm_min), Int(parts.tm_sec))
        date = "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
        time = "\(padded(hour, to: 2)):\(padded(minute, to: 2)):\(padded(second, to: 2))"
    }
}

extension Timestamp {
    /// The wall clock's reading.
    package static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Whole seconds since 1970, rounded down.
    fileprivate var wholeSeconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }
}

private func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
