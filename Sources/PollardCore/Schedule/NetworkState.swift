// SPDX-License-Identifier: Apache-2.0

/// Tells trouble of the network from trouble of single hosts.
///
/// Polls of hosts that answered before fail one after another, and no host answers in between: that
/// is one trouble, near this machine, and no news about each of the hosts. It is over when any host
/// answers. A host that fails all the time tells nothing about the network.
package struct NetworkState: Sendable {
    /// The fewest hosts that can show trouble of the network; two may well share a server.
    package static let minimumHosts = 3
    /// As many hosts show it however many there are.
    ///
    /// Even if half of all hosts were failing for reasons of their own, as many in a row would be
    /// one chance in a million; and with thousands of hosts, half of them would be thousands of
    /// events about a cable.
    package static let sufficientHosts = 20
    /// How far back an answer says that a host answers: polls by the hour count, with some room.
    package static let window = Duration.seconds(2 * 3600)

    /// How long after its first failure a host counts as one that answered before: a few default
    /// intervals, since a late answer of another poll may come between the first failures.
    package static let onset = Duration.seconds(300)

    /// What a failure without an answer means.
    package enum Verdict: Sendable, Hashable {
        /// It is the host's.
        case ofHost
        /// Trouble of the network shows with it: this many hosts failed in a row.
        case troubleBegins(hosts: Int)
        /// It is part of trouble that was told.
        case ofTrouble
    }

    private struct Host {
        var polledAt: Timestamp
        /// When the first of its failures in a row happened; nil if it answered last.
        var failingSince: Timestamp?
        /// Whether its failing is no news: it was told, or was part of trouble that is over.
        var isKnown = false
    }

    private var hosts: [String: Host] = [:]
    /// Hosts that failed since any host last answered, and answered not long before.
    private var newlyFailing: Set<String> = []

    /// When the first poll of the present trouble failed; nil if there is none.
    package private(set) var troubleSince: Timestamp?

    package init() {}

    /// Notes that a host answered, whatever it said.
    ///
    /// - Returns: How long the trouble took that this ends; nil if there was none.
    package mutating func noteAnswer(of host: String, at now: Timestamp) -> Duration? {
        hosts[host] = Host(polledAt: now)
        newlyFailing.removeAll(keepingCapacity: true)
        return endTrouble(at: now)
    }

    /// Notes a poll that failed before any answer, for a reason that a network can have.
    package mutating func noteFailure(of host: String, at now: Timestamp) -> Verdict {
        var noted = hosts[host] ?? Host(polledAt: now)
        noted.polledAt = now
        let since = noted.failingSince ?? now
        noted.failingSince = since
        hosts[host] = noted
        guard troubleSince == nil else { return .ofTrouble }
        guard !noted.isKnown, now.since(since) <= Self.onset else { return .ofHost }
        newlyFailing.insert(host)
        guard isTrouble(at: now) else { return .ofHost }
        troubleSince = newlyFailing.compactMap { hosts[$0]?.failingSince }.min()
        return .troubleBegins(hosts: newlyFailing.count)
    }

    private func isTrouble(at now: Timestamp) -> Bool {
        guard newlyFailing.count >= Self.minimumHosts else { return false }
        guard newlyFailing.count < Self.sufficientHosts else { return true }
        let answering = hosts.values.count { host in
            host.failingSince == nil && now.since(host.polledAt) <= Self.window
        }
        return newlyFailing.count > answering
    }

    private mutating func endTrouble(at now: Timestamp) -> Duration? {
        guard let since = troubleSince else { return nil }
        troubleSince = nil
        // Those that fail still do so for reasons of their own: without this, a server with most
        // of the hosts would be trouble of the network between any two answers of the others.
        for name in hosts.keys where hosts[name]?.failingSince != nil {
            hosts[name]?.isKnown = true
        }
        return max(now.since(since), .zero)
    }

    /// Takes these hosts for the ones that are polled, and forgets others.
    ///
    /// - Parameters:
    ///   - polled: Each host, and whether it was told before that it fails; one that was never
    ///     polled counts as one that answers.
    ///   - now: The time.
    /// - Returns: How long the trouble took, if too few hosts are left to speak of it.
    package mutating func keep(_ polled: [String: Bool], at now: Timestamp) -> Duration? {
        hosts = polled.reduce(into: [:]) { kept, host in
            let new = Host(
                polledAt: now, failingSince: host.value ? now : nil, isKnown: host.value)
            kept[host.key] = hosts[host.key] ?? new
        }
        newlyFailing = newlyFailing.filter { polled[$0] != nil }
        guard newlyFailing.count < Self.minimumHosts else { return nil }
        return endTrouble(at: now)
    }
}
