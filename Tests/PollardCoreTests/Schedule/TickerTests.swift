// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct TickerTests {
    @Test func `A ticker ticks at its instant and not before`() async {
        let ticker = Ticker(label: "test")
        let due = Ticker.now().advanced(by: .milliseconds(20))
        ticker.set(to: due)
        for await _ in ticker.ticks { break }
        #expect(Ticker.now() >= due)
    }

    @Test func `An instant that has passed ticks at once`() async {
        let ticker = Ticker(label: "test")
        ticker.set(to: MonotonicTime(nanoseconds: 1))
        for await _ in ticker.ticks { break }
    }

    @Test func `A stopped ticker ends its sequence`() async {
        let ticker = Ticker(label: "test")
        ticker.stop()
        for await _ in ticker.ticks { Issue.record("a stopped ticker ticked") }
    }
}
