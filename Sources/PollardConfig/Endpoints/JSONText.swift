// SPDX-License-Identifier: Apache-2.0

extension Field {
    /// The value as JSON text; to send `null`, it must be written.
    func json() -> String? {
        if case .scalar(let scalar) = node.content, scalar.type == .null, scalar.text.isEmpty {
            typeError("a value", hint: "write null to send it, or remove the key")
            return nil
        }
        return JSONText(self)?.text
    }
}

/// Writes a YAML value as JSON (RFC 8259), with its numbers as they were written.
struct JSONText {
    private(set) var text = ""

    /// The JSON text of the field's value; nil if it has one that JSON lacks.
    init?(_ field: Field) {
        guard append(field) else { return nil }
    }

    private mutating func append(_ field: Field) -> Bool {
        switch field.node.content {
        case .scalar(let scalar):
            guard let json = Self.json(scalar) else {
                field.error("JSON has no infinity and no not-a-number", hint: "quote it")
                return false
            }
            text += json
        case .sequence(let items):
            text += "["
            for (index, item) in items.enumerated() {
                if index > 0 { text += "," }
                guard append(field.member(item)) else { return false }
            }
            text += "]"
        case .mapping(let entries):
            text += "{"
            for (index, entry) in entries.enumerated() {
                if index > 0 { text += "," }
                text += Self.quoted(entry.key) + ":"
                guard append(field.member(entry.value)) else { return false }
            }
            text += "}"
        }
        return true
    }

    private static func json(_ scalar: YAMLScalar) -> String? {
        switch scalar.type {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer, .decimal: number(scalar.text)
        case .text: quoted(scalar.text)
        }
    }

    /// JSON knows no sign `+`, no leading zeros, no bare point, and base 10 only.
    private static func number(_ text: String) -> String? {
        if text.hasPrefix("0x") { return decimal(text.dropFirst(2), radix: 16) }
        if text.hasPrefix("0o") { return decimal(text.dropFirst(2), radix: 8) }
        guard text.utf8.last?.isLetter == false else { return nil }
        var rest = text[...]
        let sign = rest.hasPrefix("-") ? "-" : ""
        if rest.hasPrefix("-") || rest.hasPrefix("+") { rest = rest.dropFirst() }
        let whole = rest.prefix { $0.isNumber }
        rest = rest.dropFirst(whole.count)
        let digits = whole.drop { $0 == "0" }
        var fraction = ""
        if rest.hasPrefix(".") {
            rest = rest.dropFirst()
            let places = rest.prefix { $0.isNumber }
            rest = rest.dropFirst(places.count)
            fraction = ".\(places.isEmpty ? "0" : places)"
        }
        return "\(sign)\(digits.isEmpty ? "0" : digits)\(fraction)\(rest)"
    }

    /// Converts digits of any length: repeated multiplication on decimal digits.
    private static func decimal(_ digits: Substring, radix: Int) -> String? {
        // Quadratic in the length; 64 digits are 256 bits.
        guard digits.count <= 64 else { return nil }
        var decimal: [Int] = [0]
        for digit in digits {
            guard var carry = digit.hexDigitValue else { return nil }
            for index in decimal.indices {
                carry += decimal[index] * radix
                decimal[index] = carry % 10
                carry /= 10
            }
            while carry > 0 {
                decimal.append(carry % 10)
                carry /= 10
            }
        }
        return decimal.reversed().map(String.init).joined()
    }

    private static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\r": json += "\\r"
            case "\t": json += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
