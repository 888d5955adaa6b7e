// SPDX-License-Identifier: Apache-2.0

/// Time spans as systemd writes them (systemd.time(7)): `500ms`, `1.5s`, `1h 30min`.
enum TimeSpan {
    /// Names of units and their microseconds; months and years have no fixed length.
    static let units: [(names: [String], microseconds: Int64)] = [
        (["us", "usec"], 1),
        (["ms", "msec"], 1000),
        (["s", "sec", "second", "seconds"], 1_000_000),
        (["m", "min", "minute", "minutes"], 60_000_000),
        (["h", "hr", "hour", "hours"], 3_600_000_000),
        (["d", "day", "days"], 86_400_000_000),
        (["w", "week", "weeks"], 604_800_000_000),
    ]

    /// The duration that `text` means; nil if it is no time span or more than 292,000 years.
    static func duration(_ text: String) -> Duration? {
        var total: Int64 = 0
        var rest = Array(text.utf8)[...]
        var terms = 0
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            if rest.isEmpty { break }
            guard let number = DecimalFraction(removedFrom: &rest) else { return nil }
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            let name = String(decoding: rest.prefix { $0.isLetter }, as: UTF8.self)
            rest = rest.drop { $0.isLetter }
            guard let unit = units.first(where: { $0.names.contains(name) }),
                let term = number.multiplied(by: unit.microseconds)
            else { return nil }
            let sum = total.addingReportingOverflow(term)
            guard !sum.overflow else { return nil }
            total = sum.partialValue
            terms += 1
        }
        return terms > 0 ? .microseconds(total) : nil
    }

    /// `duration`, of whole milliseconds, in the largest unit that needs no fraction.
    static func text(_ duration: Duration) -> String {
        let milliseconds =
            duration.components.seconds * 1000
            + duration.components.attoseconds / 1_000_000_000_000_000
        let units: [(String, Int64)] = [
            ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000),
        ]
        for (name, length) in units where milliseconds >= length && milliseconds % length == 0 {
            return "\(milliseconds / length)\(name)"
        }
        return "\(milliseconds)ms"
    }
}

/// A number with at most nine digits before and six after the point, exactly.
struct DecimalFraction {
    /// The number times a million.
    let millionths: Int64

    /// Removes `[0-9]+(\.[0-9]+)?` from the start of `bytes`; nil if it is not there or too long.
    init?(removedFrom bytes: inout ArraySlice<UInt8>) {
        let whole = bytes.prefix { $0.isDigit }
        bytes = bytes.dropFirst(whole.count)
        var fraction: ArraySlice<UInt8> = []
        if bytes.first == UInt8(ascii: ".") {
            bytes = bytes.dropFirst()
            fraction = bytes.prefix { $0.isDigit }
            bytes = bytes.dropFirst(fraction.count)
            guard !fraction.isEmpty else { return nil }
        }
        guard (1...9).contains(whole.count), fraction.count <= 6 else { return nil }
        var value: Int64 = 0
        for digit in whole + fraction { value = value * 10 + Int64(digit - 0x30) }
        for _ in fraction.count..<6 { value *= 10 }
        millionths = value
    }

    /// The product, rounded down; nil if it does not fit.
    func multiplied(by factor: Int64) -> Int64? {
        let whole = (millionths / 1_000_000).multipliedReportingOverflow(by: factor)
        let part = (millionths % 1_000_000).multipliedReportingOverflow(by: factor)
        guard !whole.overflow, !part.overflow else { return nil }
        let sum = whole.partialValue.addingReportingOverflow(part.partialValue / 1_000_000)
        return sum.overflow ? nil : sum.partialValue
    }
}
