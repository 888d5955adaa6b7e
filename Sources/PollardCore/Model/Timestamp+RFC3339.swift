// SPDX-License-Identifier: Apache-2.0

extension Timestamp {
    /// The digits after the seconds of a written time.
    package enum Precision: Int, Sendable {
        case seconds = 0
        case milliseconds = 3
        case microseconds = 6
    }

    /// The instant in UTC as RFC 3339 has it, `2026-11-30T07:40:32.000012Z`, rounded down.
    package func rfc3339(_ precision: Precision = .milliseconds) -> String {
        let (seconds, fraction) = microseconds.flooredQuotientAndRemainder(by: 1_000_000)
        let (days, second) = seconds.flooredQuotientAndRemainder(by: 86_400)
        let time = [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }
        var text = "\(Self.date(daysSince1970: days))T\(time.joined(separator: ":"))"
        if precision != .seconds {
            text += "." + fraction.padded(to: 6).prefix(precision.rawValue)
        }
        return text + "Z"
    }

    /// The day of the Gregorian calendar, by years that begin in March: the leap day is then a
    /// year's last.
    private static func date(daysSince1970: Int64) -> String {
        // 400 years have 146,097 days; year 0 began in March 719,468 days before 1970.
        let (era, day) = (daysSince1970 + 719_468).flooredQuotientAndRemainder(by: 146_097)
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(dayOfMonth.padded(to: 2))"
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The number with zeros in front.
    fileprivate func padded(to width: Int) -> String {
        let digits = String(magnitude)
        let zeros = String(repeating: "0", count: Swift.max(0, width - digits.count))
        return (self < 0 ? "-" : "") + zeros + digits
    }
}
