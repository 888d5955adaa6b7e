// SPDX-License-Identifier: Apache-2.0

/// A day of the Gregorian calendar, as dates in header fields and certificates name it.
struct CivilDate: Sendable, Hashable {
    /// Days since 1970-01-01.
    let daysSince1970: Int64

    /// Makes a day; nil if the calendar has no such one.
    ///
    /// - Parameters:
    ///   - year: 0 to 9999.
    ///   - month: `Jan` to `Dec`.
    ///   - day: Counted from 1.
    init?(year: Int64, month: some StringProtocol, day: Int64) {
        guard (0...9999).contains(year),
            let month = Self.months.firstIndex(where: { $0 == month }),
            (1...Self.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        // Years that begin in March, so that the leap day is a year's last.
        let yearFromMarch = month < 2 ? year - 1 : year
        let monthFromMarch = Int64((month + 10) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = yearFromMarch / 4 - yearFromMarch / 100 + yearFromMarch / 400
        daysSince1970 = yearFromMarch * 365 + leapDays + dayOfYear - 719_468
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The days of a month, which is counted from 0.
    private static func length(ofMonth month: Int, year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }
}
