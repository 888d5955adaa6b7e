// SPDX-License-Identifier: Apache-2.0

extension TextTable {
    /// A colour of ECMA-48, 8.3.117.
    enum Colour: Int {
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
        case grey = 90

        /// `text` in this colour.
        func callAsFunction(_ text: some StringProtocol) -> String {
            "\u{1b}[\(rawValue)m\(text)\u{1b}[0m"
        }
    }
}
