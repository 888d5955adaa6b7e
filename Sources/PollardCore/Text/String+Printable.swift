// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text with each character that could steer a terminal shown as `\u001b`.
    ///
    /// Newlines and tabs stay. What servers send ends up in messages: an escape sequence must not
    /// move a reader's cursor, nor a direction mark reorder a line; and journalctl(1) shows a
    /// message with control characters as `[blob data]` only.
    package var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.steersTerminal {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text in one line: each control character is a space.
    package var singleLine: String {
        guard unicodeScalars.contains(where: \.isControlOrSeparator) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            result.unicodeScalars.append(scalar.isControlOrSeparator ? " " : scalar)
        }
        return result
    }

    /// The text cut to at most `limit` bytes of UTF-8, of which the last three are an ellipsis if
    /// something was cut.
    package func truncated(toBytes limit: Int) -> String {
        let ellipsis = "…"
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, limit - ellipsis.utf8.count))
        while end > startIndex, utf8[end] & 0b1100_0000 == 0b1000_0000 {
            end = utf8.index(before: end)
        }
        return self[..<end] + ellipsis
    }
}

extension Unicode.Scalar {
    /// Whether the character is a C0 or C1 control, or a Unicode line or paragraph separator.
    fileprivate var isControlOrSeparator: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x2029: true
        default: false
        }
    }

    /// Whether it could move the cursor, change what follows, or reorder the line.
    ///
    /// The direction marks are those of Unicode's UAX #9, section 2.
    fileprivate var steersTerminal: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: isControlOrSeparator
        }
    }
}
