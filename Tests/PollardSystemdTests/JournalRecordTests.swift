// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardSystemd

@Suite struct JournalRecordTests {
    @Test func `An event's own fields follow those of the journal`() {
        let entry = EventEntry(
            id: .changed, priority: .notice, message: "products: changed: 1 added",
            fields: [.init("POLLARD_ENDPOINT", "products"), .init("POLLARD_LABEL_TEAM", "shop\n2")])
        #expect(
            JournalRecord(entry).fields == [
                .init("MESSAGE", "products: changed: 1 added"),
                .init("MESSAGE_ID", "d88e1c8bd2164bb5a2cc47241346be99"),
                .init("PRIORITY", "5"),
                .init("SYSLOG_IDENTIFIER", "pollard"),
                .init("POLLARD_ENDPOINT", "products"),
                .init("POLLARD_LABEL_TEAM", "shop\n2"),
            ])
    }

    @Test(arguments: [
        ("POLLARD_LABEL_2", true), ("A", true), (String(repeating: "A", count: 64), true),
        ("", false), ("_PID", false), ("2ND", false), ("lower", false), ("A B", false),
        ("A=B", false), ("Ä", false), ("A\n", false), (String(repeating: "A", count: 65), false),
    ])
    func `Only names that journald keeps are valid`(name: String, isValid: Bool) {
        #expect(JournalRecord.isValid(name: name) == isValid)
    }

    @Test func `A field that can't be sent is named in the entry`() {
        let record = JournalRecord(
            entry(fields: [.init("_UID", "0"), .init("A", "1"), .init("MESSAGE", "2")]))
        #expect(
            record.fields.suffix(2) == [
                .init("A", "1"), .init("POLLARD_OMITTED_FIELDS", "_UID MESSAGE"),
            ])
    }

    @Test func `Fields past the limit are named, not lost`() {
        let record = JournalRecord(entry(fields: (0..<514).map { .init("F\($0)", "") }))
        #expect(record.fields.count == 4 + 512 + 1)
        #expect(record.fields.last == .init("POLLARD_OMITTED_FIELDS", "F512 F513"))
    }

    @Test func `A field is cut where journalctl would hide it, and shows it`() {
        let limit = JournalRecord.maximumBytes(of: "POLLARD_ERROR")
        #expect("POLLARD_ERROR=".utf8.count + limit == 4095)
        let whole = String(repeating: "x", count: limit)
        let record = JournalRecord(
            entry(fields: [.init("POLLARD_ERROR", whole), .init("POLLARD_ERROR", whole + "y")]))
        #expect(record.fields[4].value == whole)
        #expect(record.fields[5].value == String(repeating: "x", count: limit - 3) + "…")
    }

    @Test func `A patch is as long as an event may carry`() {
        let whole = String(repeating: "x", count: DifferenceBounds.event.patchBytes)
        let record = JournalRecord(entry(fields: [.init("POLLARD_PATCH", whole)]))
        #expect(record.fields[4].value == whole)
    }

    @Test func `A message shows what would steer a terminal`() {
        let text = "a\tb\nc\r\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{2028}é👩‍🚀"
        #expect(
            text.printable == "a\tb\nc\\u000d\\u001b[2J\\u007f\\u009b\\u202e\\u2028é👩‍🚀")
    }

    private func entry(fields: [EventEntry.Field]) -> EventEntry {
        EventEntry(id: .polled, priority: .debug, message: "m", fields: fields)
    }
}
