// SPDX-License-Identifier: Apache-2.0

/// Text from servers made safe to show: on one line, bounded, without control characters.
package enum SafeText {
    /// What stands for the part of a text that is cut.
    package static let ellipsis = "…"

    /// `text` with each character that could confuse a terminal or a log escaped as in JSON, and
    /// cut to `maximumLength` characters.
    package static func line(_ text: String, maximumLength: Int = .max) -> String {
        line(Array(text.utf8), maximumLength: maximumLength)
    }

    /// As `line(_:maximumLength:)`, for bytes of UTF-8; what is invalid becomes U+FFFD.
    package static func line(_ bytes: [UInt8], maximumLength: Int = .max) -> String {
        var line = ""
        var length = 0
        // A character has at most four bytes; what lies beyond is not even decoded.
        let isWhole = bytes.count / 4 <= maximumLength
        let visible = isWhole ? bytes[...] : bytes.prefix(maximumLength * 4)
        for scalar in String(decoding: visible, as: UTF8.self).unicodeScalars {
            guard length < maximumLength else { return line + ellipsis }
            length += 1
            if isSafe(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                line += escape(scalar)
            }
        }
        return isWhole ? line : line + ellipsis
    }

    /// `text` (UTF-8) in quotes, safe and cut as by `line(_:maximumLength:)`.
    package static func quoted(_ text: [UInt8], maximumLength: Int = .max) -> String {
        "\"\(line(text, maximumLength: maximumLength))\""
    }

    /// Whether `scalar` neither moves the cursor, nor breaks the line, nor hides its neighbours.
    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7e: true
        // C0, DEL and C1 controls; line and paragraph separators; bidirectional controls
        // (Unicode 15, 23.2); zero width and byte order mark.
        case 0x00...0x1f, 0x7f...0x9f, 0x2028...0x202e, 0x2066...0x2069, 0x200b...0x200f, 0x061c,
            0xfeff:
            false
        default: true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }
}
