// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardDaemon

@Suite struct TextTableTests {
    private let table = TextTable(
        header: ["NAME", "STATE", "ANSWER"],
        rows: [
            ["shop", .init("ok", .green), "200"],
            ["billing-health", .init("failing", .red), ""],
        ])

    @Test func `Columns are as wide as their widest cell, and lines end without blanks`() {
        #expect(
            table.text(isColoured: false) == """
                NAME            STATE    ANSWER
                shop            ok       200
                billing-health  failing
                """)
    }

    @Test func `Colours do not change the width`() {
        let lines = table.text(isColoured: true).split(separator: "\n")
        #expect(lines[1] == "shop            \u{1b}[32mok\u{1b}[0m       200")
    }
}

@Suite struct StatusLineTests {
    @Test func `The status line counts endpoints, failures, changes and polls`() {
        var figures = PollLoop.Figures()
        figures.endpoints = 1203
        figures.failing = 5
        figures.polls = 167
        #expect(
            figures.statusLine(changes: 12)
                == "1,203 endpoints, 5 failing; 12 changes in 24h; 167 polls/min")
        figures.networkTroubleSince = Timestamp(microseconds: 1_796_024_432_000_012)
        #expect(
            figures.statusLine(changes: 12) == """
                network trouble since 2026-11-30T07:40:32Z; 1,203 endpoints, 5 failing; \
                12 changes in 24h; 167 polls/min
                """)
        figures = PollLoop.Figures()
        figures.polls = 1
        #expect(
            figures.statusLine(changes: 1)
                == "0 endpoints, 0 failing; 1 change in 24h; 1 poll/min")
    }
}
