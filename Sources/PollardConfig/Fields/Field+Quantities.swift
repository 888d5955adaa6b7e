// SPDX-License-Identifier: Apache-2.0

extension Field {
    /// A time span within `range`.
    func duration(in range: ClosedRange<Duration>) -> Duration? {
        guard let text = quantity("a time span", example: "30s", unit: "s") else { return nil }
        guard let duration = TimeSpan.duration(text) else {
            error(
                "'\(name)' is no time span: '\(text.shown)'",
                hint: "write for example 500ms, 30s, 5min, '1h 30min' or 2d")
            return nil
        }
        guard range.contains(duration) else {
            error(
                "'\(name)' must be from \(TimeSpan.text(range.lowerBound)) to "
                    + "\(TimeSpan.text(range.upperBound)), not \(text.shown)")
            return nil
        }
        return duration
    }

    /// A size in bytes within `range`.
    func size(in range: ClosedRange<Int>) -> Int? {
        guard let text = quantity("a size", example: "64KiB", unit: "B") else { return nil }
        guard let bytes = ByteSize.bytes(text) else {
            error(
                "'\(name)' is no size: '\(text.shown)'",
                hint: "write for example 512B, 64KiB, 8MiB or 1GiB")
            return nil
        }
        guard range.contains(bytes) else {
            error(
                "'\(name)' must be from \(ByteSize.text(range.lowerBound)) to "
                    + "\(ByteSize.text(range.upperBound)), not \(text.shown)")
            return nil
        }
        return bytes
    }

    private func quantity(_ what: String, example: String, unit: String) -> String? {
        guard case .scalar(let scalar) = node.content else {
            typeError("\(what), as in \(example)")
            return nil
        }
        switch scalar.type {
        case .text: return scalar.text
        case .integer, .decimal:
            error(
                "'\(name)' needs a unit", hint: "write for example \(scalar.text.shown)\(unit)")
        case .null, .boolean: typeError("\(what), as in \(example)")
        }
        return nil
    }

    /// A share: `0%` to `100%`, or a number from 0 to 1.
    func share() -> Double? {
        guard case .scalar(let scalar) = node.content else {
            typeError("a share, as in 50%")
            return nil
        }
        switch scalar.type {
        case .null, .boolean:
            typeError("a share, as in 50%")
            return nil
        case .integer, .decimal:
            if let value = Double(scalar.text), (0...1).contains(value) { return value }
        case .text:
            var rest = Array(scalar.text.utf8)[...]
            if let number = DecimalFraction(removedFrom: &rest), rest.elementsEqual("%".utf8),
                number.millionths <= 100_000_000
            {
                return Double(number.millionths) / 100_000_000
            }
        }
        error(
            "'\(name)' must be from 0% to 100%, or a number from 0 to 1, "
                + "not '\(scalar.text.shown)'")
        return nil
    }
}
