// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

/// `systemd/pollard.catalog` against the events that exist.
@Suite struct CatalogTests {
    private let lines: [Substring]

    init() throws {
        lines = try ProjectFiles.text(of: "systemd/pollard.catalog")
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func `Each kind of event has one entry, and there is no other`() {
        let ids = lines.filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        #expect(ids == MessageID.allCases.map(\.rawValue))
    }

    @Test func `Each entry has a subject, an author, a manual and an explanation`() {
        let entries = lines.split { $0.hasPrefix("-- ") }.dropFirst()
        #expect(entries.count == MessageID.allCases.count)
        for entry in entries {
            let keys = entry.prefix { !$0.isEmpty }.map { $0.prefix { $0 != ":" } }
            #expect(keys == ["Subject", "Defined-By", "Documentation"])
            #expect(entry.drop { !$0.isEmpty }.contains { !$0.isEmpty })
        }
    }

    @Test func `Lines fit a terminal`() {
        #expect(lines.filter { $0.count > 80 } == [])
    }
}
