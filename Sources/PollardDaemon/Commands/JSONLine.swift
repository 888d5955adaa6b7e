// SPDX-License-Identifier: Apache-2.0

/// A JSON object on one line, its members in the order in which they are added.
///
/// Not made by an encoder, which would round numbers in values that are JSON already.
struct JSONLine {
    private var members = ""

    /// The object, in which nothing is left that a terminal would obey.
    var text: String {
        var text = "{"
        for scalar in members.unicodeScalars {
            if Self.isUnsafe(scalar) {
                // Outside of strings JSON has no such character, so this is its escape in one.
                for unit in String(scalar).utf16 { text += Self.escape(unit) }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "}"
    }

    /// Adds a text; nil adds nothing.
    mutating func add(_ key: String, _ text: String?) {
        if let text { add(key, json: Self.quoted(text)) }
    }

    /// Adds a number; nil adds nothing.
    mutating func add(_ key: String, _ number: (some BinaryInteger)?) {
        if let number { add(key, json: "\(number)") }
    }

    /// Adds a list of texts, also an empty one.
    mutating func add(_ key: String, _ texts: [String]) {
        add(key, json: "[\(texts.map(Self.quoted).joined(separator: ","))]")
    }

    /// Adds what is JSON already, on one line; nil adds nothing.
    mutating func add(_ key: String, json: String?) {
        guard let json else { return }
        members += (members.isEmpty ? "" : ",") + Self.quoted(key) + ":" + json
    }

    /// `text` as a JSON string.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += #"\""#
            case "\\": result += #"\\"#
            case "\n": result += #"\n"#
            case "\r": result += #"\r"#
            case "\t": result += #"\t"#
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
