// SPDX-License-Identifier: Apache-2.0

/// What the store misses, so that trouble is told once and its end once.
///
/// On a disk that is nearly full, small writes succeed while a large body still fails: trouble is
/// over only when all that failed has been made up for.
package struct StoreHealth: Sendable {
    /// What the store could not do.
    package enum Work: Sendable, Hashable {
        /// To store a change.
        case change
        /// To read the last body of an endpoint.
        case comparison
        /// To write what was noted of all endpoints: outcomes of polls, marks of changes.
        case notes
        /// To read the states of endpoints at a reload.
        case states
        /// To read which changes the last run left unreported.
        case leftOver
    }

    /// What waits to be stored.
    package private(set) var pending = PendingChanges()
    /// Endpoints whose last good answer could neither be compared nor kept.
    private var missed: Set<EndpointName> = []
    /// What could not be done for all endpoints together, and has to be.
    private var undone: Set<Work> = []
    /// Changes found while those that the last run left are not known; told apart by their ids.
    private var ownEvents: Set<String> = []
    private var isTold = false
    private var isFullTold = false
    /// The number of changes that waited and are stored, since the trouble began.
    private var storedLate = 0
    private var news: [EventEntry] = []

    package init() {}

    /// The trouble in a few words, for the status line; nil while there is none.
    package var text: String? {
        guard isTold else { return nil }
        guard !pending.isEmpty else { return "store trouble" }
        return "store trouble: \(pending.waitText)"
    }

    /// Whether there is something to tell.
    package var hasNews: Bool { !news.isEmpty }

    /// The events to report since the last call, in order.
    package mutating func takeNews() -> [EventEntry] {
        defer { news = [] }
        return news
    }

    // MARK: - All endpoints together

    /// Notes that the store could not do something; the first time in a trouble, this is news.
    package mutating func noteFailure(of work: Work, _ error: any Error) {
        if !isTold { news.append(.storeTrouble(String(describing: error), work)) }
        isTold = true
        if work == .notes || work == .leftOver { undone.insert(work) }
    }

    /// Notes that the store did what it may not have been able to do before.
    package mutating func noteSuccess(of work: Work) {
        undone.remove(work)
        if work == .leftOver { ownEvents = [] }
        recover()
    }

    /// Whether it is not known which changes the last run left unreported.
    package var missesLeftOver: Bool { undone.contains(.leftOver) }

    /// Notes that this run found a change.
    package mutating func noteFound(_ change: NewChange) {
        if missesLeftOver { ownEvents.insert(change.event) }
    }

    /// Whether a change was found by this run, while `missesLeftOver`.
    package func isOwn(_ change: StoredChange) -> Bool { ownEvents.contains(change.event) }

    // MARK: - One endpoint

    /// Notes that the last good answer of an endpoint could not be compared.
    package mutating func noteUncompared(_ name: EndpointName, _ error: any Error) {
        missed.insert(name)
        noteFailure(of: .comparison, error)
    }

    /// Notes that nothing of what the endpoint answered is missed, beside what waits.
    package mutating func noteUpToDate(_ name: EndpointName) {
        missed.remove(name)
        recover()
    }

    /// Notes that an endpoint is no longer polled.
    package mutating func forget(_ name: EndpointName) {
        pending.forget(name)
        noteUpToDate(name)
    }

    /// Takes the state after a poll; gives what of it may be written now.
    package mutating func note(_ poll: NotedPoll) -> NotedPoll { pending.note(poll) }

    // MARK: - What waits

    /// Keeps a change that could not be stored, if there is room.
    ///
    /// - Parameters:
    ///   - entry: The change.
    ///   - state: The state before it.
    /// - Returns: Whether it is kept; if not, the endpoint is missed until its next good poll.
    package mutating func keep(
        _ entry: PendingChanges.Entry, after state: EndpointState
    ) -> Bool {
        let name = entry.endpoint.name
        guard pending.keep(entry, after: state) else {
            missed.insert(name)
            if !isFullTold { news.append(.storeBacklogFull(pending, name)) }
            isFullTold = true
            return false
        }
        missed.remove(name)
        return true
    }

    /// Begins another attempt to store all that waits; see `PendingChanges.beginPass()`.
    package mutating func beginPass() { pending.beginPass() }

    /// The changes that wait and are to be tried now; see `PendingChanges.takeBatch()`.
    package mutating func takeBatch() -> [PendingChanges.Entry] { pending.takeBatch() }

    /// Notes that the first of the changes that wait of an endpoint is stored, and told.
    ///
    /// - Parameters:
    ///   - name: The endpoint.
    ///   - snapshot: What the change led to, with its number.
    /// - Returns: The state to note for the endpoint; nil if there is nothing new in it.
    package mutating func noteStored(
        _ name: EndpointName, as snapshot: Snapshot
    ) -> EndpointState? {
        storedLate += 1
        defer { recover() }
        return pending.noteStored(name, as: snapshot)
    }

    /// Notes that the first of the changes that wait of an endpoint could not be stored again.
    package mutating func noteStillFailing(_ name: EndpointName, _ error: any Error) {
        pending.noteFailed(name)
        noteFailure(of: .change, error)
    }

    /// Ends the trouble if nothing is missing any more.
    private mutating func recover() {
        guard isTold, pending.isEmpty, missed.isEmpty, undone.isEmpty else { return }
        news.append(.storeRecovered(storedLate: storedLate))
        isTold = false
        isFullTold = false
        storedLate = 0
    }
}
