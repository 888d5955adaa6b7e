// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import PollardCore

extension Timestamp {
    /// The instant in UTC, as in `2026-11-30T07:31:02.125Z`: whole milliseconds, rounded down.
    var rfc3339: String {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        let digits = String(rest / 1000)
        let zeros = String(repeating: "0", count: 3 - digits.count)
        return "\(whole.dropLast()).\(zeros)\(digits)Z"
    }
}
