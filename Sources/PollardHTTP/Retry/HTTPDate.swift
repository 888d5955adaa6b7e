// SPDX-License-Identifier: Apache-2.0

/// A date in a header field, in any of the three formats of RFC 9110, 5.6.7.
struct HTTPDate: Sendable, Hashable {
    /// Seconds since 1970-01-01 00:00:00 UTC.
    let seconds: Int64

    /// Reads a date.
    ///
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994` are the same instant. The day of the week is not checked.
    ///
    /// - Parameters:
    ///   - text: The value of the field.
    ///   - now: Seconds since 1970; a year of two digits is at most 50 years after it.
    init?(_ text: String, now: Int64) {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "-" }).map(String.init)
        let fields: (day: String, month: String, year: String, time: String)
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            fields = (words[1], words[2], words[3], words[4])
        case 5 where !words[0].hasSuffix(","):
            fields = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let day = Self.number(fields.day, digits: 1...2),
            let year = Self.year(fields.year, now: now),
            let date = CivilDate(year: year, month: fields.month, day: day),
            let time = Self.secondOfDay(fields.time)
        else { return nil }
        seconds = date.daysSince1970 * 86_400 + time
    }

    private static func number(_ text: String, digits: ClosedRange<Int>) -> Int64? {
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber && digits.contains(text.utf8.count) ? Int64(text) : nil
    }

    private static func year(_ text: String, now: Int64) -> Int64? {
        if let year = number(text, digits: 4...4) { return year }
        guard let lastTwo = number(text, digits: 2...2) else { return nil }
        let thisYear = 1970 + now / 31_556_952  // The mean Gregorian year, in seconds.
        let year = thisYear / 100 * 100 + lastTwo
        return year > thisYear + 50 ? year - 100 : year
    }

    private static func secondOfDay(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            .map { number(String($0), digits: 2...2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            hour < 24, minute < 60, second <= 60  // 60 is a leap second.
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
