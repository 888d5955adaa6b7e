// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct NetworkStateTests {
    private var state = NetworkState()

    private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

    private func names(_ count: Int) -> [String] { (0..<count).map { "h\($0)" } }

    /// Hosts that have all answered, one a second, up to second 0.
    private mutating func answer(_ hosts: [String]) {
        for (index, host) in hosts.enumerated() {
            _ = state.noteAnswer(of: host, at: at(Int64(index - hosts.count)))
        }
    }

    /// Fails these hosts, one a second from `second` on.
    private mutating func fail(
        _ hosts: [String], from second: Int64 = 1
    ) -> [NetworkState.Verdict] {
        hosts.enumerated().map { state.noteFailure(of: $1, at: at(second + Int64($0))) }
    }

    @Test mutating func `Most hosts in a row without an answer are trouble of the network`() {
        answer(names(5))
        #expect(fail(["h0", "h1", "h2"]) == [.ofHost, .ofHost, .troubleBegins(hosts: 3)])
        #expect(state.troubleSince == at(1))
        #expect(fail(["h3", "h0"], from: 4) == [.ofTrouble, .ofTrouble])
        #expect(state.noteAnswer(of: "h4", at: at(721)) == .seconds(720))
        #expect(state.troubleSince == nil)
        #expect(state.noteAnswer(of: "h3", at: at(722)) == nil)
    }

    @Test mutating func `Half of the hosts are not most of them`() {
        answer(names(6))
        #expect(fail(["h0", "h1", "h2"]) == [.ofHost, .ofHost, .ofHost])
        #expect(fail(["h3"], from: 4) == [.troubleBegins(hosts: 4)])
    }

    @Test mutating func `An answer in between says that the network works`() {
        answer(names(5))
        #expect(fail(["h0", "h1"]) == [.ofHost, .ofHost])
        #expect(state.noteAnswer(of: "h4", at: at(3)) == nil)
        #expect(fail(["h2", "h3"], from: 4) == [.ofHost, .ofHost])
    }

    @Test(arguments: [1, 2])
    mutating func `One host or two are never the network`(count: Int) {
        answer(names(count))
        let verdicts = (0..<100).flatMap { fail(names(count), from: $0 * 60) }
        #expect(Set(verdicts) == [.ofHost])
        #expect(state.troubleSince == nil)
    }

    @Test mutating func `One host that fails again and again is not several`() {
        answer(names(5))
        #expect(Set(fail(Array(repeating: "h0", count: 50))) == [.ofHost])
    }

    @Test mutating func `An answer that was under way as the network broke hides nothing`() {
        answer(names(3))
        #expect(fail(["h0"]) == [.ofHost])
        _ = state.noteAnswer(of: "h2", at: at(2))
        #expect(
            fail(["h1", "h2", "h0"], from: 60) == [.ofHost, .ofHost, .troubleBegins(hosts: 3)])
        #expect(state.troubleSince == at(1))
    }

    @Test mutating func `Hosts that fail for long do not make the network suspect`() {
        answer(names(9))
        // h0 to h3 fail for an hour, the others answer.
        for minute in 0..<60 as Range<Int64> {
            #expect(Set(fail(["h0", "h1"], from: minute * 60)) == [.ofHost])
            for host in ["h4", "h5", "h6", "h7", "h8"] {
                _ = state.noteAnswer(of: host, at: at(minute * 60 + 9))
            }
            #expect(Set(fail(["h2", "h3"], from: minute * 60 + 10)) == [.ofHost])
        }
        #expect(Set(fail(["h0", "h1", "h2", "h3"], from: 4000)) == [.ofHost])
        // Nor do they hide that those fail that answered.
        #expect(
            fail(["h4", "h5", "h6"], from: 4010) == [.ofHost, .ofHost, .troubleBegins(hosts: 3)])
    }

    @Test mutating func `Most hosts on a server that is down are trouble once`() {
        answer(names(5))
        #expect(fail(["h0", "h1", "h2"]).last == .troubleBegins(hosts: 3))
        #expect(state.noteAnswer(of: "h3", at: at(10)) == .seconds(9))
        for round in 1...10 {
            #expect(Set(fail(["h0", "h1", "h2"], from: Int64(round) * 12)) == [.ofHost])
            #expect(state.noteAnswer(of: "h3", at: at(Int64(round) * 12 + 9)) == nil)
        }
    }

    @Test mutating func `Of ten thousand hosts twenty in a row are enough`() {
        answer(names(10_000))
        let verdicts = fail(names(21))
        #expect(verdicts[..<19].allSatisfy { $0 == .ofHost })
        #expect(verdicts[19...] == [.troubleBegins(hosts: 20), .ofTrouble])
    }

    @Test mutating func `Hosts that are polled seldom are not waited for`() {
        answer(names(10))
        let later = 3 * 3600 as Int64
        for host in ["h0", "h1", "h2"] { _ = state.noteAnswer(of: host, at: at(later)) }
        #expect(fail(["h0", "h1", "h2"], from: later + 60).last == .troubleBegins(hosts: 3))
    }

    // MARK: - Which hosts there are

    @Test mutating func `At a start hosts that were not polled yet count as answering`() {
        _ = state.keep(Dictionary(uniqueKeysWithValues: names(9).map { ($0, false) }), at: at(0))
        #expect(fail(Array(names(9).prefix(5))).last == .troubleBegins(hosts: 5))
    }

    @Test mutating func `After a restart hosts that were told to fail are no news`() {
        let hosts = ["h0": true, "h1": true, "h2": true, "h3": false, "h4": false]
        #expect(state.keep(hosts, at: at(0)) == nil)
        #expect(Set(fail(["h0", "h1", "h2", "h3", "h4"])) == [.ofHost])
    }

    @Test mutating func `A reload keeps what is known of the hosts that stay`() {
        answer(names(5))
        _ = fail(["h0", "h1"])
        #expect(state.keep(["h0": false, "h1": false, "h2": false], at: at(3)) == nil)
        #expect(fail(["h2"], from: 4) == [.troubleBegins(hosts: 3)])
        #expect(
            state.keep(["h0": false, "h1": false, "h2": false, "new": false], at: at(9)) == nil)
        #expect(state.troubleSince == at(1))
        #expect(fail(["new"], from: 10) == [.ofTrouble])
    }

    @Test mutating func `A reload that leaves too few hosts ends the trouble`() {
        answer(names(4))
        _ = fail(["h0", "h1", "h2"])
        #expect(state.keep(["h0": false, "h1": false], at: at(61)) == .seconds(60))
        #expect(fail(["h0"], from: 70) == [.ofHost])
    }

    @Test mutating func `A clock set back gives no negative outage`() {
        answer(names(3))
        _ = fail(names(3), from: 1000)
        #expect(state.noteAnswer(of: "h0", at: at(5)) == .zero)
    }
}
