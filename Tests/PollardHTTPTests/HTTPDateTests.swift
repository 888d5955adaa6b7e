// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import PollardHTTP

/// Dates in header fields (RFC 9110, 5.6.7).
@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun Nov 16 08:49:37 1994", 784_975_777),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ])
    func `Each of the three formats is read`(text: String, seconds: Int64) {
        #expect(HTTPDate(text, now: 784_000_000)?.seconds == seconds)
    }

    /// RFC 9110: a year that seems to be more than 50 years ahead is in the past.
    @Test(arguments: [
        ("Saturday, 01-Jan-50 00:00:00 GMT", 2050), ("Thursday, 01-Jan-76 00:00:00 GMT", 2076),
        ("Friday, 01-Jan-77 00:00:00 GMT", 1977), ("Friday, 01-Jan-99 00:00:00 GMT", 1999),
    ])
    func `A year of two digits is at most 50 years ahead`(text: String, year: Int) throws {
        let in2026: Int64 = 1_780_000_000
        let date = try #require(HTTPDate(text, now: in2026))
        let whole = "Thu, 01 Jan \(year) 00:00:00 GMT"
        #expect(date == HTTPDate(whole, now: in2026))
    }

    @Test func `Every day of 400 years is the calendar's`() throws {
        let formats = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for day in stride(from: Int64(-62_000_000_000), to: 0, by: 86_400 * 6_007) {
            let date = Date(timeIntervalSince1970: Double(day))
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            guard let year = parts.year, year > 1600, let month = parts.month,
                let number = parts.day
            else { continue }
            let text =
                "Xxx, \(number < 10 ? "0" : "")\(number) \(formats[month - 1]) \(year) 00:00:00 GMT"
            let midnight = Int64((Double(day) / 86_400).rounded(.down)) * 86_400
            #expect(HTTPDate(text, now: 0)?.seconds == midnight, "\(text)")
        }
    }
}
