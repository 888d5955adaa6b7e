// SPDX-License-Identifier: Apache-2.0

/// Changes that could not be stored, kept in memory until they can be.
///
/// Those of one endpoint stay in order, each found against the one before it. Endpoints take turns,
/// in passes: one whose change fails alone rests until the next pass, so that it can't hold up the
/// others. After a failure one change is tried alone, and after each success twice as many at once:
/// a disk that takes some of them takes those, and one that works again is kept as busy as by polls.
package struct PendingChanges: Sendable {
    /// What all changes take at most: an hour of a hundred endpoints whose 10 kB change each
    /// minute, and little beside what polls in flight may take.
    package static let maximumBytes = 64 << 20
    /// The number of changes that are kept at most: one for each of 10,000 endpoints.
    package static let maximumCount = 10_000
    /// The part of both that the changes of one endpoint take at most, as in one of four, so that
    /// one that changes at each poll can't take all; a single change may take more.
    package static let shares = 4
    /// The most changes that are tried at once: enough for a store that writes them together.
    static let maximumBatch = 64
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
        /// Whether it is no longer polled.
        var isForgotten = false
    }

    private struct Turn {
        var number: Int
        var name: EndpointName
    }

    private var chains: [EndpointName: Chain] = [:]
    /// One for each chain but those that rest, and those whose first change is being tried.
    private var turns = BinaryHeap<Turn> { $0.number < $1.number }
    private var turnCount = 0
    /// Endpoints whose first change could not be stored in this pass.
    private var resting: [EndpointName] = []
    /// How many changes are tried next, at most.
    private var batch = 1
    /// How many were tried last.
    private var triedCount = 0
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
        chains[name]?.latest = entry.change.state
        chains[name]?.latest.snapshot = Snapshot(waiting: entry.change)
        chains[name]?.isForgotten = false
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

    /// Begins a pass, in which the change of each endpoint may fail once.
    package mutating func beginPass() {
        for name in resting { giveTurn(to: name) }
        resting = []
    }

    /// The changes to try next, of as many endpoints; empty if there are none left in this pass.
    ///
    /// - Returns: Changes of which the caller says, of each, whether it was stored.
    package mutating func takeBatch() -> [Entry] {
        var entries: [Entry] = []
        while entries.count < batch, let name = turns.first?.name {
            turns.removeFirst()
            if let entry = chains[name]?.entries.first { entries.append(entry) }
        }
        batch = entries.isEmpty ? 1 : min(2 * batch, Self.maximumBatch)
        triedCount = entries.count
        return entries
    }

    /// Drops the first change of an endpoint: it is stored.
    ///
    /// - Parameters:
    ///   - name: The endpoint.
    ///   - snapshot: What the change led to, with its number.
    /// - Returns: The state to note for the endpoint; nil if it was not polled since.
    package mutating func noteStored(
        _ name: EndpointName, as snapshot: Snapshot
    ) -> EndpointState? {
        guard var chain = chains[name] else { return nil }
        let entry = chain.entries.removeFirst()
        chain.bytes -= entry.bytes
        chain.stored = entry.change.state
        chain.stored.snapshot = snapshot
        bytes -= entry.bytes
        count -= 1
        chains[name] = chain.entries.isEmpty ? nil : chain
        if !chain.entries.isEmpty { giveTurn(to: name) }
        guard chain.latest.lastPoll != entry.change.state.lastPoll else { return nil }
        guard chain.entries.isEmpty else { return chain.latest.reduced(to: chain.stored) }
        chain.latest.snapshot = snapshot
        return chain.latest
    }

    /// Puts an endpoint behind the others: its first change could not be stored this time.
    package mutating func noteFailed(_ name: EndpointName) {
        batch = 1
        // Of changes that fail together, one alone may be at fault.
        if triedCount > 1 { giveTurn(to: name) } else { resting.append(name) }
    }

    /// Notes that an endpoint is no longer polled.
    package mutating func forget(_ name: EndpointName) { chains[name]?.isForgotten = true }

    /// Whether an endpoint has changes in here and is no longer polled.
    package func isForgotten(_ name: EndpointName) -> Bool { chains[name]?.isForgotten ?? false }

    // MARK: - What polls need

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
    /// - Returns: What of it may be written now.
    package mutating func note(_ poll: NotedPoll) -> NotedPoll {
        guard let chain = chains[poll.name] else { return poll }
        chains[poll.name]?.latest = poll.state
        chains[poll.name]?.isForgotten = false
        var writable = poll
        writable.state = poll.state.reduced(to: chain.stored)
        return writable
    }
}

extension Snapshot {
    /// The snapshot that a change leads to, before it has a number.
    init(waiting change: NewChange) {
        self.init(
            id: Self.unstored, digest: change.digest, contentType: change.contentType,
            takenAt: change.takenAt)
    }
}

extension EndpointState {
    /// This state without what is known only since snapshots that are not stored.
    ///
    /// And without validators: in the store they must never meet another snapshot than their own,
    /// or a 304 after a crash would hide a change. The first request then is a plain one.
    fileprivate func reduced(to stored: EndpointState) -> EndpointState {
        var state = self
        state.snapshot = stored.snapshot
        state.validators = nil
        state.lastChange = stored.lastChange
        return state
    }
}
