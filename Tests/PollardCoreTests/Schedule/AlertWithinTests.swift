// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

/// `alert.within`: failures that are not in a row.
@Suite struct AlertWithinTests {
    private var state = AlertState()
    private var policy = AlertPolicy()

    init() {
        policy.after = 3
        policy.within = 5
    }

    /// Polls once a minute: `x` is a failure, `.` is none.
    private mutating func poll(_ outcomes: String) -> [AlertState.Decision?] {
        outcomes.enumerated().map { minute, outcome in
            let now = Timestamp(microseconds: Int64(minute) * 60_000_000)
            return outcome == "x"
                ? state.noteFailure(at: now, policy) : state.noteSuccess(at: now, policy)
        }
    }

    @Test(
        arguments: [
            ("x.x.x", 4), ("xxx", 2), ("..x..xx", 6), ("x..x.x", nil), ("xx...x.x", nil),
            ("x.x..xx", 6), (".......", nil),
        ] as [(String, Int?)])
    mutating func `An endpoint is failing at the third failure among five polls`(
        outcomes: String, index: Int?
    ) {
        let decisions = poll(outcomes)
        #expect(decisions.firstIndex(of: .failing) == index)
        if index != nil { #expect(state.failures(countedBy: policy) == 3) }
    }

    @Test mutating func `Without it, good polls in between start anew`() {
        policy.within = nil
        #expect(Set(poll("x.xx.xx.x")) == [nil])
        #expect(state.recentFailures == 1)
    }

    @Test mutating func `What was told does not count towards the next threshold`() {
        let decisions = poll("x.x.x.xxx")
        #expect(decisions.compactMap(\.self).count == 3)
        #expect(decisions[4] == .failing)
        #expect(decisions[5] == .recovered(outage: .seconds(300), failures: 3))
        #expect(decisions[8] == .failing)
    }

    @Test mutating func `With recover an endpoint that is good and bad by turns stays failing`() {
        policy.recover = 5
        let decisions = poll("x.x.x.x.x.x.....")
        #expect(decisions.compactMap(\.self).count == 2)
        #expect(decisions[4] == .failing)
        #expect(decisions[15] == .recovered(outage: .seconds(900), failures: 6))
    }

    @Test mutating func `A window without a failure forgets those before`() {
        _ = poll("x.x.....")
        #expect(state.failedSince == nil && state.failures == 0)
    }

    @Test mutating func `Good and bad by turns was five failures in a row`() {
        policy.recover = 3
        _ = poll("x.x.x.x.x")
        #expect(state.isFailing)
        #expect(state.consecutiveFailures == 1 && state.failures == 5)
        _ = poll(".")
        #expect(state.consecutiveFailures == 0 && state.failures == 5)
    }

    @Test mutating func `A reload that dropped within made one failure the third in a row`() {
        _ = poll("x.x.")
        policy.within = nil
        #expect(poll("x") == [nil])
        #expect(state.failures(countedBy: policy) == 1)
        #expect(poll("xx") == [nil, .failing])
        #expect(state.failures(countedBy: policy) == 3)
    }

    @Test mutating func `The longest window is what is kept`() {
        policy.after = 2
        policy.within = 64
        #expect(poll("x" + String(repeating: ".", count: 62) + "x").last == .failing)
        state = AlertState()
        #expect(poll("x" + String(repeating: ".", count: 63) + "x").last == .some(nil))
    }
}
