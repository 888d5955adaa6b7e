// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct NetworkStateTests {
    private typealias Trouble = NetworkState.Trouble
    private var state = NetworkState()

    private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

    private func names(_ range: Range<Int>) -> [String] { range.map { "h\($0)" } }

    /// Hosts that all answer at `second`.
    private mutating func answer(_ hosts: [String], at second: Int64 = 0) -> [NetworkState.End] {
        hosts.compactMap { state.noteAnswer(of: $0, at: at(second)) }
    }

    /// Polls in which nothing comes from these hosts, one a second from `second` on.
    private mutating func silence(
        _ hosts: [String], from second: Int64 = 1, isNew: Bool = true
    ) -> [NetworkState.Verdict] {
        hosts.enumerated().map { offset, host in
            state.noteSilence(of: host, isNew: isNew, at: at(second + Int64(offset)))
        }
    }

    private func begins(_ silent: Int, of hosts: Int) -> NetworkState.Verdict {
        .toTell(Trouble(silent: silent, hosts: hosts))
    }

    // MARK: - The beginning

    @Test mutating func `Most hosts silent are trouble of the network, until one of them answers`()
    {
        _ = answer(names(0..<5))
        #expect(silence(["h0", "h1", "h2"]) == [.ofHost, .ofHost, begins(3, of: 5)])
        #expect(state.troubleSince == at(3))
        #expect(silence(["h3", "h0"], from: 4) == [.ofTrouble, .ofTrouble])
        #expect(answer(["h2"], at: 723) == [.recovered(after: .seconds(720))])
        #expect(state.troubleSince == nil)
        #expect(answer(["h3"], at: 724) == [])
    }

    @Test mutating func `Half of the hosts are not most of them`() {
        _ = answer(names(0..<6))
        #expect(silence(["h0", "h1", "h2"]) == [.ofHost, .ofHost, .ofHost])
        #expect(silence(["h3"], from: 4) == [begins(4, of: 6)])
    }

    @Test(arguments: [1, 2])
    mutating func `One host or two are never the network`(count: Int) {
        _ = answer(names(0..<count))
        let verdicts = (0..<100).flatMap { silence(names(0..<count), from: $0 * 60) }
        #expect(Set(verdicts) == [.ofHost])
        #expect(state.troubleSince == nil)
    }

    @Test mutating func `One host that is silent again and again is not several`() {
        _ = answer(names(0..<5))
        #expect(Set(silence(Array(repeating: "h0", count: 50))) == [.ofHost])
    }

    @Test mutating func `One host that answered often hid that all others fell silent`() {
        _ = answer(names(0..<5) + ["lan"])
        var verdicts: [NetworkState.Verdict] = []
        for (second, host) in names(0..<5).enumerated() {
            #expect(answer(["lan"], at: Int64(second)) == [])
            verdicts += silence([host], from: Int64(second))
        }
        #expect(verdicts == [.ofHost, .ofHost, .ofHost, begins(4, of: 6), .ofTrouble])
        #expect(answer(["lan"], at: 60) == [])
        #expect(state.troubleSince == at(3))
    }

    @Test mutating func `An answer that was under way as the network broke hides nothing`() {
        _ = answer(names(0..<3))
        #expect(silence(["h0"]) == [.ofHost])
        _ = answer(["h2"], at: 2)
        #expect(silence(["h1", "h2"], from: 60) == [.ofHost, begins(3, of: 3)])
    }

    @Test mutating func `Hosts that are silent for long do not make the network suspect`() {
        _ = answer(names(0..<9))
        #expect(Set(silence(names(0..<4))) == [.ofHost])
        for minute in 1...150 as ClosedRange<Int64> {
            #expect(Set(silence(names(0..<4), from: minute * 60, isNew: false)) == [.ofHost])
            #expect(answer(names(4..<9), at: minute * 60 + 9) == [])
        }
        #expect(Set(silence(names(0..<4), from: 9060, isNew: false)) == [.ofHost])
        // Nor do they hide that those are silent that answered.
        #expect(silence(names(4..<7), from: 9070) == [.ofHost, .ofHost, begins(3, of: 5)])
    }

    @Test mutating func `A host that never answered tells nothing about the network`() {
        _ = answer(names(0..<2))
        #expect(Set(silence(names(2..<9), isNew: false)) == [.ofHost])
        #expect(Set(silence(names(0..<2), from: 20)) == [.ofHost])
    }

    @Test mutating func `Hosts that are polled seldom are not waited for`() {
        _ = answer(names(0..<10))
        _ = answer(names(0..<3), at: 3 * 3600)
        #expect(silence(names(0..<3), from: 3 * 3600 + 60).last == begins(3, of: 3))
        // Their silence is news, and part of it, however long ago they answered.
        #expect(silence(["h9"], from: 3 * 3600 + 90) == [.ofTrouble])
    }

    // MARK: - Many hosts

    @Test mutating func `Of ten thousand hosts twenty in a row are enough`() {
        _ = answer(names(0..<10_000))
        let verdicts = silence(names(0..<21))
        #expect(verdicts[..<19].allSatisfy { $0 == .ofHost })
        #expect(verdicts[19...] == [begins(20, of: 10_000), .ofTrouble])
        #expect(answer(names(9000..<9999), at: 60) == [])
        #expect(answer(["h3"], at: 60) == [.recovered(after: .seconds(40))])
    }

    @Test mutating func `Twenty hosts on a server that is down are not the network of others`() {
        _ = answer(names(0..<1000))
        var verdicts: [NetworkState.Verdict] = []
        for host in 0..<25 {
            verdicts += silence(["h\(host)"], from: Int64(host) + 1)
            let others = 25 + host * 10
            #expect(answer(names(others..<others + 10), at: Int64(host) + 1) == [])
        }
        #expect(Set(verdicts) == [.ofHost])
    }

    @Test mutating func `Polls of the same instant that end later are not the last in a row`() {
        _ = answer(names(0..<1000))
        // Without jitter: good answers first, and then all at once what timed out.
        _ = answer(names(30..<1000), at: 60)
        let verdicts = names(0..<30).map { state.noteSilence(of: $0, isNew: true, at: at(60)) }
        #expect(Set(verdicts) == [.ofHost])
    }

    // MARK: - The end

    @Test mutating func `A new host that answered ended trouble of the others`() {
        _ = answer(names(0..<5))
        #expect(silence(names(0..<4)).last == .ofTrouble)
        #expect(answer(["new"], at: 10) == [])
        #expect(state.troubleSince == at(3))
    }

    @Test mutating func `When the silent hosts are most no longer, nothing has recovered`() {
        _ = answer(names(0..<5))
        #expect(silence(names(0..<3)).last == begins(3, of: 5))
        let end = NetworkState.End.unclear(Trouble(silent: 3, hosts: 6, lasted: .seconds(57)))
        #expect(answer(["new"], at: 60) == [end])
        #expect(Set(silence(names(0..<3), from: 70)) == [.ofHost])
    }

    @Test mutating func `Hosts that refuse connections are silent no longer`() {
        _ = answer(names(0..<5))
        _ = silence(names(0..<4))
        #expect(state.noteOtherFailure(of: "h4", at: at(10)) == nil)
        #expect(state.noteOtherFailure(of: "h0", at: at(10)) == nil)
        #expect(
            state.noteOtherFailure(of: "h1", at: at(13))
                == .unclear(Trouble(silent: 2, hosts: 3, lasted: .seconds(10))))
        #expect(state.noteOtherFailure(of: "h2", at: at(14)) == nil)
    }

    @Test mutating func `Polls in flight as the trouble ends are part of it`() {
        _ = answer(names(0..<5))
        _ = silence(names(0..<5))
        #expect(answer(["h0"], at: 60) == [.recovered(after: .seconds(57))])
        #expect(silence(["h1", "h2"], from: 55) == [.ofTrouble, .ofTrouble])
        #expect(silence(["h1", "h2"], from: 61) == [.ofHost, .ofHost])
    }

    @Test mutating func `A host on its own that comes back does not hide what lasts`() {
        _ = answer(names(0..<9))
        _ = silence(names(0..<9))
        #expect(answer(["h0"], at: 60) == [.recovered(after: .seconds(55))])
        #expect(silence(names(1..<9), from: 61)[4] == begins(5, of: 9))
        #expect(answer(["h0"], at: 120) == [])
    }

    // MARK: - Reminders

    @Test mutating func `Trouble that lasted for days was never told again`() {
        _ = answer(names(0..<3))
        #expect(silence(names(0..<3)).last == begins(3, of: 3))
        var told: [Int64] = []
        for minute in 1...180 as ClosedRange<Int64> {
            let verdict = state.noteSilence(of: "h0", isNew: false, at: at(minute * 60))
            guard verdict != .ofTrouble else { continue }
            told.append(minute)
            #expect(
                verdict
                    == .toTell(
                        Trouble(silent: 3, hosts: 3, lasted: .seconds(minute * 60 - 3))))
        }
        #expect(told == [61, 121])
    }

    @Test mutating func `A clock set back neither silences reminders nor gives negative times`() {
        _ = answer(names(0..<3))
        _ = silence(names(0..<3), from: 100_000)
        #expect(silence(["h0"], from: 5) == [.ofTrouble])
        #expect(
            silence(["h0"], from: 3605)
                == [.toTell(Trouble(silent: 3, hosts: 3, lasted: .zero))])
        #expect(answer(["h0"], at: 3606) == [.recovered(after: .zero)])
    }

    // MARK: - Which hosts there are

    @Test mutating func `At a start hosts that answered before count, those that failed do not`() {
        let polled = names(0..<9).map { ($0, $0 < "h5") }
        #expect(state.keep(Dictionary(uniqueKeysWithValues: polled), at: at(0)) == nil)
        #expect(Set(silence(names(5..<9), isNew: false)) == [.ofHost])
        #expect(silence(names(0..<3), from: 5).last == begins(3, of: 5))
    }

    @Test mutating func `A reload keeps what is known of the hosts that stay`() {
        _ = answer(names(0..<5))
        _ = silence(["h0", "h1"])
        let kept = ["h0": false, "h1": false, "h2": true]
        #expect(state.keep(kept, at: at(3)) == nil)
        #expect(silence(["h2"], from: 4) == [begins(3, of: 3)])
        #expect(state.keep(kept.merging(["new": false]) { $1 }, at: at(9)) == nil)
        #expect(state.troubleSince == at(4))
        #expect(silence(["new"], from: 10, isNew: false) == [.ofHost])
    }

    @Test mutating func `A reload without the hosts of the onset was a recovery`() {
        _ = answer(names(0..<8))
        _ = silence(names(0..<8))
        let kept = Dictionary(uniqueKeysWithValues: names(5..<8).map { ($0, false) })
        #expect(state.keep(kept, at: at(61)) == nil)
        #expect(silence(["h5"], from: 62) == [.ofTrouble])
        #expect(answer(["h6"], at: 65) == [.recovered(after: .seconds(60))])
    }

    @Test mutating func `A reload that left too few hosts was a recovery`() {
        _ = answer(names(0..<4))
        _ = silence(["h0", "h1", "h2"])
        #expect(
            state.keep(["h0": false, "h1": false], at: at(63))
                == .unclear(Trouble(silent: 2, hosts: 2, lasted: .seconds(60))))
        #expect(silence(["h0"], from: 70) == [.ofHost])
    }
}
