// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardConfig

@Suite struct ShownTests {
    @Test func `What a message quotes is short and has no control characters`() {
        #expect("a\u{1B}[31m\n\u{202E}é".shown == #"a\u001b[31m\n\u202eé"#)
        #expect(String(repeating: "a", count: 61).shown == String(repeating: "a", count: 60) + "…")
    }
}
