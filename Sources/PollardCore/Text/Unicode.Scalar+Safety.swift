// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
    /// Whether it may move the cursor, break the line, reorder it, or hide in it: controls, line
    /// and paragraph separators, and what only formats its neighbours, as direction marks and zero
    /// width spaces do (Unicode's categories Cc, Zl, Zp and Cf).
    var isUnsafe: Bool {
        guard value > 0x7e else { return value < 0x20 }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }

    /// Whether it ends a line or controls a device; unlike `isUnsafe`, marks in a line do not.
    var isControlOrSeparator: Bool {
        isUnsafe && properties.generalCategory != .format
    }

    /// The character as in JSON: `\n`, `\u001b`; above U+FFFF with as many digits as it needs.
    var escaped: String {
        switch self {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default: return hexadecimalEscape
        }
    }

    /// The character as `\u` and at least four digits.
    var hexadecimalEscape: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
