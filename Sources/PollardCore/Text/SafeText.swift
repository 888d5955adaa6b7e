// SPDX-License-Identifier: Apache-2.0

/// Text from servers and files made safe to show: on one line, bounded, nothing in it hidden.
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
            if scalar.isUnsafe {
                line += scalar.escaped
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return isWhole ? line : line + ellipsis
    }

    /// `text` (UTF-8) in quotes, safe and cut as by `line(_:maximumLength:)`.
    package static func quoted(_ text: [UInt8], maximumLength: Int = .max) -> String {
        "\"\(line(text, maximumLength: maximumLength))\""
    }
}
