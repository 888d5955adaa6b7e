// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct AlertStateTests {
    private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

    private func policy(
        after: Int = 1, recover: Int = 1, remind: Duration? = nil
    ) -> AlertPolicy {
        var policy = AlertPolicy()
        policy.after = after
        policy.recover = recover
        policy.remind = remind
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

    // MARK: - Reminders

    @Test func `A reminder is due each time after the failing event, and never before it`() {
        var state = AlertState()
        let policy = policy(after: 2, remind: .seconds(120))
        let decisions = (0...6).map { state.noteFailure(at: at($0 * 60), policy) }
        #expect(
            decisions == [
                nil, .failing, nil, .stillFailing(outage: .seconds(180), failures: 4), nil,
                .stillFailing(outage: .seconds(300), failures: 6), nil,
            ])
        #expect(state.remindedAt == at(300))
    }

    @Test(
        arguments: [
            (119_001, true), (119_000, true), (118_999, false), (120_000, true),
        ] as [(Int64, Bool)])
    func `A poll a second early still tells a reminder`(milliseconds: Int64, isTold: Bool) {
        var state = AlertState()
        let policy = policy(remind: .seconds(120))
        _ = state.noteFailure(at: at(0), policy)
        let later = Timestamp(microseconds: milliseconds * 1000)
        let reminder = AlertState.Decision.stillFailing(
            outage: .milliseconds(milliseconds), failures: 2)
        #expect(state.noteFailure(at: later, policy) == (isTold ? reminder : nil))
    }

    @Test func `Polls less often than reminders tell one each`() {
        var state = AlertState()
        let policy = policy(remind: .seconds(60))
        let decisions = (0...2).map { state.noteFailure(at: at($0 * 3600), policy) }
        #expect(
            decisions == [
                .failing, .stillFailing(outage: .seconds(3600), failures: 2),
                .stillFailing(outage: .seconds(7200), failures: 3),
            ])
    }

    @Test func `A good poll that is no recovery leaves the reminders as they are`() {
        var state = AlertState()
        let policy = policy(recover: 2, remind: .seconds(60))
        #expect(state.noteFailure(at: at(0), policy) == .failing)
        #expect(state.noteSuccess(at: at(60), policy) == nil)
        #expect(
            state.noteFailure(at: at(90), policy)
                == .stillFailing(outage: .seconds(90), failures: 2))
    }

    @Test func `After a recovery reminders count from the next failing event`() {
        var state = AlertState()
        let policy = policy(remind: .seconds(60))
        _ = state.noteFailure(at: at(0), policy)
        _ = state.noteSuccess(at: at(50), policy)
        #expect(
            state
                == {
                    var good = AlertState(); good.consecutiveSuccesses = 1; return good
                }())
        #expect(state.noteFailure(at: at(100), policy) == .failing)
        #expect(state.noteFailure(at: at(130), policy) == nil)
        #expect(
            state.noteFailure(at: at(160), policy)
                == .stillFailing(outage: .seconds(60), failures: 3))
    }

    @Test func `Reminders that are asked for later count from when the failure was told`() {
        var state = AlertState()
        _ = state.noteFailure(at: at(0), policy())
        _ = state.noteFailure(at: at(60), policy())
        #expect(state.noteFailure(at: at(90), policy(remind: .seconds(120))) == nil)
        #expect(
            state.noteFailure(at: at(120), policy(remind: .seconds(120)))
                == .stillFailing(outage: .seconds(120), failures: 4))
    }

    @Test func `What an earlier version told is reminded of from the first failure on`() {
        var state = AlertState()
        state.failures = 7
        state.failedSince = at(0)
        state.isFailing = true
        #expect(
            state.noteFailure(at: at(500), policy(remind: .seconds(60)))
                == .stillFailing(outage: .seconds(500), failures: 8))
    }

    @Test func `A clock set back neither silences reminders nor tells one too early`() {
        var state = AlertState()
        let policy = policy(remind: .seconds(60))
        _ = state.noteFailure(at: at(10_000), policy)
        #expect(state.noteFailure(at: at(100), policy) == nil)
        #expect(state.noteFailure(at: at(130), policy) == nil)
        #expect(
            state.noteFailure(at: at(160), policy) == .stillFailing(outage: .zero, failures: 4))
    }

    @Test func `A clock set back gives no negative outage`() {
        var state = AlertState()
        _ = state.noteFailure(at: at(100), policy())
        #expect(state.noteSuccess(at: at(50), policy()) == .recovered(outage: .zero, failures: 1))
    }
}
