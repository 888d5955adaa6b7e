// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct LatenessWatchTests {
    private var watch = LatenessWatch()

    private func at(_ second: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: second * 1_000_000_000)
    }

    private mutating func note(_ milliseconds: [Int], at second: Int64) -> LatenessWatch.Report? {
        watch.note(milliseconds.map { .milliseconds($0) }, at: at(second))
    }

    @Test mutating func `A machine that is merely busy is not worth a word`() {
        #expect(note([0, 12, 4999, 5000], at: 1) == nil)
    }

    @Test mutating func `A process that stood still is one report with all its polls`() {
        #expect(
            note([11_000, 3, 10_500, 6000], at: 1)
                == LatenessWatch.Report(polls: 3, worst: .seconds(11)))
        #expect(note([0, 1], at: 2) == nil)
    }

    @Test mutating func `Load that lasts is told once an hour, with what it did meanwhile`() {
        #expect(note([5001], at: 0) == LatenessWatch.Report(polls: 1, worst: .milliseconds(5001)))
        for second in 1...3599 {
            #expect(note([second == 60 ? 9000 : 6000], at: Int64(second)) == nil)
        }
        #expect(note([0], at: 3600) == nil)
        #expect(note([7000], at: 3601) == LatenessWatch.Report(polls: 3600, worst: .seconds(9)))
    }

    @Test mutating func `Only polls that start can be late`() throws {
        #expect(PollQueue.Action.poll(try "a".endpoint, late: 7).lateness == .nanoseconds(7))
        #expect(PollQueue.Action.overrun(try "a".endpoint, skipped: 1).lateness == nil)
    }

    @Test(arguments: [
        (1, "a poll began 6.9 s after it was due"),
        (1200, "1,200 polls began up to 6.9 s after they were due"),
    ])
    func `The event has the figures`(polls: Int, text: String) {
        let entry = EventEntry.late(
            LatenessWatch.Report(polls: polls, worst: .milliseconds(6900)))
        #expect(
            entry.message == """
                late: \(text); the process was stopped, or the machine has too much to do
                """)
        #expect(
            entry.fields == [
                .init("POLLARD_KIND", "late"), .init("POLLARD_LATE_POLLS", String(polls)),
                .init("POLLARD_LATE_USEC", "6900000"),
            ])
    }
}
