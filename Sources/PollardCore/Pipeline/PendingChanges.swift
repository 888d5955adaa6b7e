// SPDX-License-Identifier: Apache-2.0

/// Changes that could not be stored, kept in memory until they can be.
///
/// Those of one endpoint stay in order, each found against the one before it. Endpoints take turns:
/// one whose change fails goes behind all others, so that it can't hold them up.
package struct PendingChanges: Sendable {
    /// What all changes take at most: an hour of a hundred endpoints whose 10 kB change each
    /// minute, and little beside what polls in flight may take.
    package static let maximumBytes = 64 << 20
    /// The number of changes that are kept at most: one for each of 10,000 endpoints.
    package static let maximumCount = 10_000
    /// The part of both that is left for other endpoints once one has a change in here: three
    /// quarters, so that one that changes at each poll can't take all.
    package static let shares = 4
    /// What a change takes beside its body and its texts, in bytes: state, endpoint and bookkeeping.
    static let overhead = 1_024

    /// A change, and the endpoint as it was configured when it was found.
    package struct Entry: Sendable {
        package var change: NewChange
        package var endpoint: WatchedEndpoint

        package init(change: NewChange, endpoint: WatchedEndpoint) {
            self.change = change
            self.endpoint = endpoint
        }

        fileprivate var bytes: Int {
            let summary = change.summary
            let lines = (summary.lines + summary.remarks).reduce(0) { $0 + $1.utf8.count }
            return change.body.count + lines + (summary.patch?.utf8.count ?? 0)
                + PendingChanges.overhead
        }
    }

    private struct Chain {
        /// Never empty.
        var entries: [Entry]
        var bytes: Int
        /// What the store has of the endpoint.
        var stored: EndpointState
        /// What is known of it by now.
        var latest: EndpointState
    }

    private struct Turn {
        var number: Int
        var name: EndpointName
    }

    private var chains: [EndpointName: Chain] = [:]
    /// One for each chain.
    private var turns = BinaryHeap<Turn> { $0.number < $1.number }
    private var turnCount = 0
    private var bytes = 0

    /// The number of changes.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The number of changes of each endpoint that has some.
    package var counts: [EndpointName: Int] { chains.mapValues(\.entries.count) }

    // MARK: - Keeping

    /// Keeps a change behind those of its endpoint that are kept already, if there is room.
    ///
    /// - Parameters:
    ///   - entry: The change.
    ///   - state: The state before it.
    /// - Returns: Whether it is kept; if not, the next poll has to find the difference again.
    package mutating func keep(_ entry: Entry, after state: EndpointState) -> Bool {
        let (name, size) = (entry.endpoint.name, entry.bytes)
        guard hasRoom(for: size, in: chains[name]) else { return false }
        if chains[name] == nil {
            chains[name] = Chain(entries: [], bytes: 0, stored: state, latest: state)
            giveTurn(to: name)
        }
        chains[name]?.entries.append(entry)
        chains[name]?.bytes += size
        bytes += size
        count += 1
        return true
    }

    private func hasRoom(for size: Int, in chain: Chain?) -> Bool {
        guard bytes + size <= Self.maximumBytes, count < Self.maximumCount else { return false }
        guard let chain else { return true }
        return chain.bytes + size <= Self.maximumBytes / Self.shares
            && chain.entries.count < Self.maximumCount / Self.shares
    }

    private mutating func giveTurn(to name: EndpointName) {
        turnCount += 1
        turns.insert(Turn(number: turnCount, name: name))
    }

    // MARK: - Storing

    /// The change to store next; nil if there is none.
    package var next: Entry? { turns.first.flatMap { chains[$0.name]?.entries.first } }

    /// Drops the change that was `next`: it is stored.
    ///
    /// - Parameter snapshot: What it led to, with its number.
    /// - Returns: The state to note for its endpoint; nil if it was not polled since.
    package mutating func noteStored(as snapshot: Snapshot) -> EndpointState? {
        guard let name = turns.first?.name, var chain = chains[name] else { return nil }
        turns.removeFirst()
        let entry = chain.entries.removeFirst()
        chain.bytes -= entry.bytes
        chain.stored = entry.change.state
        chain.stored.snapshot = snapshot
        bytes -= entry.bytes
        count -= 1
        chains[name] = chain.entries.isEmpty ? nil : chain
        if !chain.entries.isEmpty { giveTurn(to: name) }
        return chain.latest.lastPoll == entry.change.state.lastPoll
            ? nil : chain.latest.reduced(to: chain.stored)
    }

    /// Puts the endpoint of `next` behind the others: its change could not be stored this time.
    package mutating func noteFailed() {
        guard let name = turns.first?.name else { return }
        turns.removeFirst()
        giveTurn(to: name)
    }

    // MARK: - What polls need

    /// Whether changes of this endpoint are kept.
    package func includes(_ name: EndpointName) -> Bool { chains[name] != nil }

    /// The body with this digest, if it is that of the last change of an endpoint.
    package func body(_ digest: ContentDigest, of name: EndpointName) -> [UInt8]? {
        guard let last = chains[name]?.entries.last, last.change.digest == digest else {
            return nil
        }
        return last.change.body
    }

    /// The present state of each endpoint that has changes in here.
    package var states: [EndpointName: EndpointState] { chains.mapValues(\.latest) }

    /// Takes the state after a poll.
    ///
    /// - Returns: What of it may be written now: validators must not get into the store before the
    ///   snapshot that they belong to, or a 304 after a restart would hide it.
    package mutating func note(_ poll: NotedPoll) -> NotedPoll {
        guard let chain = chains[poll.name] else { return poll }
        chains[poll.name]?.latest = poll.state
        var writable = poll
        writable.state = poll.state.reduced(to: chain.stored)
        return writable
    }
}

extension EndpointState {
    /// This state without what is known only since snapshots that are not stored.
    fileprivate func reduced(to stored: EndpointState) -> EndpointState {
        var state = self
        state.snapshot = stored.snapshot
        state.validators = stored.validators
        state.lastChange = stored.lastChange
        return state
    }
}
