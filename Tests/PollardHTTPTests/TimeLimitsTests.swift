// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct TimeLimitsTests {
    private func limits(total: Int = 1000, connect: Int = 300, idle: Int? = nil, spent: Int = 0)
        -> TimeLimits
    {
        var timeouts = HTTPRequest.Timeouts()
        timeouts.total = .milliseconds(total)
        timeouts.connect = .milliseconds(connect)
        timeouts.idle = idle.map { .milliseconds($0) }
        return TimeLimits(timeouts).after(Int64(spent) * 1_000_000)
    }

    private func verdict(_ limits: TimeLimits, lastActivity: Int? = nil, now: Int)
        -> TimeLimits.Verdict
    {
        let origin: Int64 = 7_000_000_000
        let verdict = limits.verdict(
            start: origin, lastActivity: lastActivity.map { origin + Int64($0) * 1_000_000 },
            now: origin + Int64(now) * 1_000_000)
        guard case .lookAgain(let time) = verdict else { return verdict }
        return .lookAgain(at: (time - origin) / 1_000_000)
    }

    @Test func `The first limit to pass is looked at first`() {
        #expect(verdict(limits(), now: 0) == .lookAgain(at: 300))
        #expect(verdict(limits(), lastActivity: 20, now: 50) == .lookAgain(at: 1000))
        #expect(verdict(limits(total: 200), now: 0) == .lookAgain(at: 200))
        #expect(verdict(limits(idle: 100), now: 0) == .lookAgain(at: 100))
        #expect(verdict(limits(idle: 100), lastActivity: 50, now: 60) == .lookAgain(at: 150))
    }

    @Test func `A limit passes exactly at its time`() {
        #expect(verdict(limits(), now: 299) == .lookAgain(at: 300))
        #expect(verdict(limits(), now: 300) == .passed(.connect))
        #expect(verdict(limits(), lastActivity: 0, now: 999) == .lookAgain(at: 1000))
        #expect(verdict(limits(), lastActivity: 0, now: 1000) == .passed(.total))
        #expect(verdict(limits(idle: 100), lastActivity: 50, now: 150) == .passed(.idle))
        #expect(verdict(limits(connect: 2000), now: 1000) == .passed(.total))
    }

    @Test func `Idle time does not count before the connection is ready`() {
        #expect(verdict(limits(idle: 100), now: 250) == .lookAgain(at: 300))
        #expect(verdict(limits(idle: 100), now: 150) == .lookAgain(at: 250))
    }

    @Test func `Of two equal limits that of the connection passes while there is none`() {
        #expect(verdict(limits(total: 300), now: 300) == .passed(.connect))
        #expect(verdict(limits(total: 300), lastActivity: 10, now: 300) == .passed(.total))
    }

    @Test func `Earlier hops use up the total limit`() {
        #expect(verdict(limits(spent: 800), lastActivity: 0, now: 100) == .lookAgain(at: 200))
        #expect(verdict(limits(spent: 800), lastActivity: 0, now: 200) == .passed(.total))
        #expect(verdict(limits(spent: 2000), now: 0) == .passed(.total))
    }
}
