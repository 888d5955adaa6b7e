// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct AlertStateTests {
    private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

    private func policy(after: Int = 1, recover: Int = 1) -> AlertPolicy {
        var policy = AlertPolicy()
        policy.after = after
        policy.recover = recover
        return policy
    }

    @Test func `An endpoint is failing once, at the threshold`() {
        var state = AlertState()
        let policy = policy(after: 3)
        let decisions = (1...5).map { state.noteFailure(at: at($0), policy) }
        #expect(decisions == [nil, nil, .failing, nil, nil])
        #expect(state.consecutiveFailures == 5)
    }

    @Test func `A good poll below the threshold starts the count anew`() {
        var state = AlertState()
        let policy = policy(after: 2)
        #expect(state.noteFailure(at: at(1), policy) == nil)
        #expect(state.noteSuccess(at: at(2), policy) == nil)
        #expect(state.noteFailure(at: at(3), policy) == nil)
        #expect(state.failedSince == at(3))
    }

    @Test func `Recovery tells how long it took from the first failure, and how many polls`() {
        var state = AlertState()
        let policy = policy(after: 2)
        for second in 1...12 { _ = state.noteFailure(at: at(Int64(second) * 60), policy) }
        #expect(
            state.noteSuccess(at: at(13 * 60), policy)
                == .recovered(outage: .seconds(720), failures: 12))
        #expect(state.isFailing == false && state.consecutiveFailures == 0)
        #expect(state.noteSuccess(at: at(14 * 60), policy) == nil)
    }

    @Test func `With recover 2 one good poll among failures is no recovery`() {
        var state = AlertState()
        let policy = policy(recover: 2)
        #expect(state.noteFailure(at: at(1), policy) == .failing)
        #expect(state.noteSuccess(at: at(2), policy) == nil)
        #expect(state.noteFailure(at: at(3), policy) == nil)
        #expect(state.noteSuccess(at: at(4), policy) == nil)
        #expect(
            state.noteSuccess(at: at(5), policy) == .recovered(outage: .seconds(4), failures: 2))
    }

    @Test func `A clock set back gives no negative outage`() {
        var state = AlertState()
        _ = state.noteFailure(at: at(100), policy())
        #expect(state.noteSuccess(at: at(50), policy()) == .recovered(outage: .zero, failures: 1))
    }
}
