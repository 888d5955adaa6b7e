// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// Rates as proxies write them: `10/s`, `100/min`, `5000/h`.
enum Rate {
    /// The rate that `text` means; nil if it is none.
    ///
    /// The unit is one of those of time spans from a second to a day.
    static func rate(_ text: String) -> (count: Int64, period: Duration)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (number, unit) = (parts[0].trimmingSpaces, parts[1].trimmingSpaces)
        guard (1...9).contains(number.utf8.count), number.utf8.allSatisfy(\.isDigit),
            let count = Int64(number),
            let found = TimeSpan.units.first(where: { $0.names.contains(String(unit)) }),
            (1_000_000...86_400_000_000).contains(found.microseconds)
        else { return nil }
        return (count, .microseconds(found.microseconds))
    }
}

extension Field {
    /// A number of requests, within `range`, for each second, minute, hour or day, or `none`.
    ///
    /// - Returns: The rate, nil inside for `none`; nil if the value is wrong.
    func rate(in range: ClosedRange<Int>) -> Configuration.Limits.Rate?? {
        guard case .scalar(let scalar) = node.content, scalar.type != .null else {
            typeError("a rate, as in 10/s")
            return nil
        }
        if scalar.text == "none" { return .some(nil) }
        switch scalar.type {
        case .integer, .decimal:
            error("'\(name)' needs a unit", hint: "write for example \(scalar.text.shown)/s")
            return nil
        case .null, .boolean:
            typeError("a rate, as in 10/s")
            return nil
        case .text: break
        }
        guard let (count, period) = Rate.rate(scalar.text) else {
            error(
                "'\(name)' is no rate: '\(scalar.text.shown)'",
                hint: "write a whole number for each second, minute, hour or day, "
                    + "for example 10/s, 100/min, 5000/h or 1000/d, or 'none'")
            return nil
        }
        guard let count = Int(exactly: count), range.contains(count) else {
            error(
                "'\(name)' must be from \(range.lowerBound) to \(range.upperBound) requests, "
                    + "not \(scalar.text.shown)")
            return nil
        }
        return Configuration.Limits.Rate(count: count, period: period)
    }
}

extension Configuration.Limits.Rate {
    /// A number, with one decimal below 100, for each period, as in `1.5/min`.
    func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        let hasDecimal = number < 100 && tenths % 10 != 0
        let digits = hasDecimal ? "\(tenths / 10).\(tenths % 10)" : "\(Int(number.rounded()))"
        // Of `1min`, the unit alone.
        return "\(digits)/\(TimeSpan.text(period).dropFirst())"
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
