// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct SlidingCountTests {
    private func at(_ second: Int64) -> Timestamp {
        Timestamp(microseconds: (1_800_000_000 + second) * 1_000_000)
    }

    @Test func `What is older than the window no longer counts`() {
        var count = SlidingCount(window: .seconds(60), buckets: 60)
        count.add(at: at(0))
        count.add(2, at: at(30))
        #expect(count.total(at: at(59)) == 3)
        #expect(count.total(at: at(60)) == 2)
        #expect(count.total(at: at(90)) == 0)
    }

    @Test func `A long pause empties the whole window`() {
        var count = SlidingCount(window: .seconds(60), buckets: 60)
        count.add(5, at: at(0))
        #expect(count.total(at: at(100_000)) == 0)
    }

    @Test func `Times from before the window are ignored, times within it are not`() {
        var count = SlidingCount(window: .seconds(60), buckets: 60)
        count.add(at: at(100))
        count.add(at: at(10))
        count.add(at: at(90))
        #expect(count.total(at: at(100)) == 2)
    }

    @Test func `A clock that is set back by more than the window begins a new one`() {
        var count = SlidingCount(window: .seconds(60), buckets: 60)
        count.add(9, at: at(1_000_000))
        count.add(at: at(1000))
        count.add(at: at(1001))
        #expect(count.total(at: at(1001)) == 2)
        #expect(count.total(at: at(1060)) == 1)
    }

    @Test func `Times before 1970 are counted`() {
        var count = SlidingCount(window: .seconds(60), buckets: 60)
        count.add(at: at(-3))
        count.add(at: at(-2))
        #expect(count.total(at: at(0)) == 2)
        #expect(count.total(at: at(-100_000)) == 0)
    }
}
