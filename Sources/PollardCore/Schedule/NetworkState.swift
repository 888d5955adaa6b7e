// SPDX-License-Identifier: Apache-2.0

/// Tells trouble of the network from trouble of single hosts.
///
/// A host that answered its last poll and gives no sign of life at this one has fallen silent. When
/// most of the hosts that were heard from not long ago are silent, the trouble is near this machine,
/// and no news about each of them. It is over when one of the silent hosts answers.
package struct NetworkState: Sendable {
    /// The fewest silent hosts that can show trouble of the network; two may well share a server.
    package static let minimumHosts = 3
    /// As many silent hosts show it however many there are, if fewer others were heard from since.
    ///
    /// With thousands of hosts, half of them would be thousands of events about a cable.
    package static let sufficientHosts = 20
    /// How long a host counts after it was heard from, or as one that fell silent: polls by the
    /// hour count, with some room.
    package static let window = Duration.seconds(2 * 3600)
    /// How often trouble that lasts is told again: trouble that nobody mends must not be forgotten.
    package static let reminderInterval = Duration.seconds(3600)
    /// The least time between two looks for hosts that are out of the window, since each looks at
    /// all hosts.
    private static let sweepInterval = Duration.seconds(300)

    /// What the silence of a host means.
    package enum Verdict: Sendable, Hashable {
        /// It is the host's.
        case ofHost
        /// It is part of trouble that was told.
        case ofTrouble
        /// It is part of trouble that is to be told now.
        case toTell(Trouble)
    }

    /// Trouble of the network, as it is told.
    package struct Trouble: Sendable, Hashable {
        /// How many hosts are silent.
        package var silent: Int
        /// Of how many.
        package var hosts: Int
        /// How long it has lasted; nil if it shows only now.
        package var lasted: Duration?

        package init(silent: Int, hosts: Int, lasted: Duration? = nil) {
            self.silent = silent
            self.hosts = hosts
            self.lasted = lasted
        }
    }

    /// How trouble of the network has ended.
    package enum End: Sendable, Hashable {
        /// A host that was silent has answered.
        case recovered(after: Duration)
        /// Too few hosts are silent to tell it from trouble of theirs, without an answer of any.
        case unclear(Trouble)
    }

    private struct Host {
        /// When it was last heard from or, if it is silent, when it fell silent.
        var since: Timestamp
        var isSilent = false
    }

    /// Hosts that fell silent one after another, up to `sufficientHosts`.
    private struct Run {
        var since: Timestamp
        var hosts = 0
    }

    private var hosts: [String: Host] = [:]
    private var silent = 0
    private var run: Run?
    private var sweptAt: Timestamp?
    /// When the present trouble was last told; nil if there is none.
    private var toldAt: Timestamp?
    /// The trouble before the present one.
    private var lastTrouble: ClosedRange<Timestamp>?

    /// When the poll began that showed the present trouble; nil if there is none.
    package private(set) var troubleSince: Timestamp?

    package init() {}

    // MARK: - Polls

    /// Notes that a host answered, whatever it said.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - start: When the poll began.
    /// - Returns: How the trouble ended, if this ends it.
    package mutating func noteAnswer(of host: String, at start: Timestamp) -> End? {
        let wasSilent = hosts.updateValue(Host(since: start), forKey: host)?.isSilent ?? false
        guard wasSilent else { return endIfUnclear(at: start) }
        silent -= 1
        return endTrouble(at: start).map { .recovered(after: $0) }
    }

    /// Notes a poll that failed with a sign of life, but no answer, or for want of something here.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - start: When the poll began.
    /// - Returns: How the trouble ended, if this ends it.
    package mutating func noteOtherFailure(of host: String, at start: Timestamp) -> End? {
        guard hosts[host]?.isSilent == true else { return nil }
        hosts[host] = nil
        silent -= 1
        return endIfUnclear(at: start)
    }

    /// Notes a poll in which nothing came from the host.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - isNew: Whether the poll before was answered.
    ///   - start: When the poll began.
    /// - Returns: What that means.
    package mutating func noteSilence(
        of host: String, isNew: Bool, at start: Timestamp
    ) -> Verdict {
        var isRun = false
        if hosts[host]?.isSilent != true {
            guard isNew else { return .ofHost }
            // It was in flight when another host showed that the trouble is over.
            if let lastTrouble, lastTrouble.contains(start) { return .ofTrouble }
            sweep(at: start)
            hosts[host] = Host(since: start, isSilent: true)
            silent += 1
            isRun = endsRun(at: start)
        }
        if let since = troubleSince { return reminder(since: since, at: start) }
        guard isRun || isMost else { return .ofHost }
        troubleSince = start
        toldAt = start
        return .toTell(Trouble(silent: silent, hosts: hosts.count))
    }

    private var isMost: Bool { silent >= Self.minimumHosts && 2 * silent > hosts.count }

    /// Counts a host that fell silent.
    ///
    /// - Returns: Whether it is the last of many, since the first of which few others were heard.
    private mutating func endsRun(at start: Timestamp) -> Bool {
        guard troubleSince == nil else { return false }
        var run = run ?? Run(since: start)
        // Polls end in another order than they began.
        run.since = min(run.since, start)
        run.hosts += 1
        self.run = run
        guard run.hosts == Self.sufficientHosts else { return false }
        self.run = nil
        let heard = hosts.values.count { !$0.isSilent && $0.since >= run.since }
        return silent >= Self.sufficientHosts && heard < Self.sufficientHosts
    }

    private mutating func reminder(since: Timestamp, at start: Timestamp) -> Verdict {
        let elapsed = toldAt.map { start.since($0) } ?? .zero
        // A clock that was set back must not silence it for as long.
        if elapsed + Self.reminderInterval <= .zero { toldAt = start }
        guard elapsed >= Self.reminderInterval else { return .ofTrouble }
        toldAt = start
        return .toTell(
            Trouble(
                silent: silent, hosts: hosts.count, lasted: max(start.since(since), .zero)))
    }

    /// Leaves out what is too long ago; those that are part of trouble stay until it is over.
    private mutating func sweep(at now: Timestamp) {
        if let sweptAt {
            let elapsed = now.since(sweptAt)
            guard elapsed >= Self.sweepInterval || elapsed < .zero else { return }
        }
        sweptAt = now
        let isTrouble = troubleSince != nil
        hosts = hosts.filter { _, host in
            host.isSilent && isTrouble || now.since(host.since) <= Self.window
        }
        silent = hosts.values.count { $0.isSilent }
    }

    // MARK: - The end

    private mutating func endIfUnclear(at now: Timestamp) -> End? {
        guard !isMost, silent < Self.sufficientHosts else { return nil }
        var trouble = Trouble(silent: silent, hosts: hosts.count)
        trouble.lasted = endTrouble(at: now)
        return trouble.lasted == nil ? nil : .unclear(trouble)
    }

    private mutating func endTrouble(at now: Timestamp) -> Duration? {
        guard let since = troubleSince else { return nil }
        troubleSince = nil
        toldAt = nil
        lastTrouble = since...max(since, now)
        // Those that do not answer now have to fall silent anew.
        for name in hosts.keys where hosts[name]?.isSilent == true { hosts[name]?.isSilent = false }
        silent = 0
        return max(now.since(since), .zero)
    }

    // MARK: - Which hosts there are

    /// Takes these hosts for the ones that are polled, and forgets others.
    ///
    /// - Parameters:
    ///   - polled: Each host, and whether it answered its last poll, however long ago that was.
    ///   - now: The time.
    /// - Returns: How the trouble ended, if too few hosts are left to speak of it.
    package mutating func keep(_ polled: [String: Bool], at now: Timestamp) -> End? {
        hosts = polled.reduce(into: [:]) { kept, host in
            kept[host.key] = hosts[host.key] ?? (host.value ? Host(since: now) : nil)
        }
        silent = hosts.values.count { $0.isSilent }
        return endIfUnclear(at: now)
    }
}
