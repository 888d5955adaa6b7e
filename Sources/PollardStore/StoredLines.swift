// SPDX-License-Identifier: Apache-2.0

/// A list of texts in one column, readable in an SQLite shell: each ends in a newline.
///
/// A newline or backslash inside a text is written as `\n` or `\\`.
enum StoredLines {
    static func encode(_ lines: [String]) -> String {
        var text = ""
        for line in lines {
            for scalar in line.unicodeScalars {
                switch scalar {
                case "\n": text += #"\n"#
                case "\\": text += #"\\"#
                default: text.unicodeScalars.append(scalar)
                }
            }
            text += "\n"
        }
        return text
    }

    static func decode(_ text: String) -> [String] {
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                line.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\n" {
                lines.append(String(line))
                line = String.UnicodeScalarView()
            } else {
                line.append(scalar)
            }
        }
        return lines
    }
}
