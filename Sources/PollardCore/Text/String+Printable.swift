// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text with each character that could steer a terminal shown as `\u001b`.
    ///
    /// Newlines and tabs stay. What servers send ends up in messages: an escape sequence must not
    /// move a reader's cursor, nor a direction mark reorder a line; and journalctl(1) shows a
    /// message with control characters as `[blob data]` only.
    package var printable: String {
        guard !unicodeScalars.allSatisfy(\.isPrintable) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable {
                result.unicodeScalars.append(scalar)
            } else {
                result += scalar.hexadecimalEscape
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
    /// Whether it may be in a message of several lines: safe characters, newlines, tabs, and the
    /// joiners that emoji and some scripts are written with.
    fileprivate var isPrintable: Bool {
        switch value {
        case 0x09, 0x0A, 0x200C...0x200D: true
        default: !isUnsafe
        }
    }
}
