// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration as people say it: `850 µs`, `12.3 ms`, `4.5 s`, `12min`, `3h 5min`, `2d 4h`.
    package var humane: String {
        let microseconds = max(0, wholeMicroseconds)
        if microseconds < 1000 { return "\(microseconds) µs" }
        if microseconds < 1_000_000 { return Self.tenths(microseconds, of: 1000) + " ms" }
        if microseconds < 60_000_000 { return Self.tenths(microseconds, of: 1_000_000) + " s" }
        return Self.twoUnits(seconds: microseconds / 1_000_000)
    }

    /// One decimal below 100, none above; a decimal of zero is left out.
    private static func tenths(_ value: Int64, of unit: Int64) -> String {
        guard value < 100 * unit else { return "\(value / unit)" }
        let (whole, part) = (value * 10 / unit).quotientAndRemainder(dividingBy: 10)
        return part == 0 ? "\(whole)" : "\(whole).\(part)"
    }

    private static func twoUnits(seconds: Int64) -> String {
        let units: [(name: String, seconds: Int64)] = [("d", 86400), ("h", 3600), ("min", 60)]
        guard let place = units.firstIndex(where: { seconds >= $0.seconds }) else { return "0 s" }
        let first = "\(seconds / units[place].seconds)\(units[place].name)"
        guard place + 1 < units.count else { return first }
        let rest = seconds % units[place].seconds / units[place + 1].seconds
        return rest == 0 ? first : "\(first) \(rest)\(units[place + 1].name)"
    }
}

extension Int {
    /// The number with commas between thousands, as in `1,203`.
    package var grouped: String {
        var digits = String(magnitude)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits.removeLast(3)
        }
        return (self < 0 ? "-" : "") + ([digits[...]] + groups).joined(separator: ",")
    }

    /// The number with its noun, as in `1 endpoint`, `1,203 endpoints`.
    package func counted(_ noun: String) -> String {
        self == 1 ? "1 \(noun)" : "\(grouped) \(noun)s"
    }
}
