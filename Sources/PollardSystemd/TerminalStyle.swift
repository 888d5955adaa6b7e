// SPDX-License-Identifier: Apache-2.0

/// Whether and how lines for people are coloured.
struct TerminalStyle: Sendable, Equatable {
    /// A way to set off text (ECMA-48, select graphic rendition).
    enum Rendition: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        case boldRed = "1;31"
        case boldGreen = "1;32"
    }

    /// No colours: for files, pipes, and who asks for none.
    static let plain = TerminalStyle(isColoured: false)
    /// Colours of the terminal's own palette, so that they fit dark and light ones.
    static let coloured = TerminalStyle(isColoured: true)

    let isColoured: Bool

    /// The style for `output`: colours on a terminal, unless it or its user has none.
    ///
    /// A `$NO_COLOR` that is not empty asks for none (https://no-color.org).
    static func automatic(
        isTerminal: Bool, environment: (String) -> String?
    ) -> TerminalStyle {
        let refuses = environment("NO_COLOR").map { !$0.isEmpty } ?? false
        let isDumb = environment("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true
        return isTerminal && !refuses && !isDumb ? .coloured : .plain
    }

    /// `text` set off, or as it is.
    func callAsFunction(_ text: some StringProtocol, _ rendition: Rendition?) -> String {
        guard isColoured, let rendition, !text.isEmpty else { return String(text) }
        return "\u{1b}[\(rendition.rawValue)m\(text)\u{1b}[0m"
    }
}
