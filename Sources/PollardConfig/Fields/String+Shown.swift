// SPDX-License-Identifier: Apache-2.0

import PollardCore

extension String {
    /// The longest text that a message quotes, in characters.
    static let maximumShownLength = 60

    /// The text as a message may show it: on one line, bounded, and nothing in it hidden.
    var shown: String { SafeText.line(self, maximumLength: Self.maximumShownLength) }

    /// Whether there is a C0 control character or DEL, line breaks included, tab excluded.
    var hasControlCharacters: Bool {
        utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }
}
