// SPDX-License-Identifier: Apache-2.0

/// What the store misses, so that trouble is told once and its end once.
///
/// On a disk that is nearly full, small writes succeed while a large body still fails: trouble is
/// over only when all that failed has been made up for.
package struct StoreHealth: Sendable {
    /// What waits to be stored.
    package private(set) var pending = PendingChanges()
    /// Endpoints whose last good answer could neither be compared nor kept.
    private var missed: Set<EndpointName> = []
    /// Whether what is written for all endpoints together could not be.
    private var isShared = false
    private var isTold = false
    private var isFullTold = false
    /// The number of changes that waited and are stored, since the trouble began.
    private var storedLate = 0

    package init() {}

    /// The trouble in a few words, for the status line; nil while there is none.
    package var text: String? {
        guard isTold else { return nil }
        guard !pending.isEmpty else { return "store trouble" }
        return "store trouble: \(pending.waitText)"
    }

    /// Notes that the store failed.
    ///
    /// - Returns: Whether this is news.
    package mutating func noteFailure() -> Bool {
        defer { isTold = true }
        return !isTold
    }

    /// Notes that what is written for all endpoints together could or could not be.
    package mutating func noteShared(isMissing: Bool) { isShared = isMissing }

    /// Notes that the last good answer of an endpoint could not be compared.
    package mutating func noteMissed(_ name: EndpointName) { missed.insert(name) }

    /// Notes that nothing of what the endpoint answered is missed, beside what waits.
    package mutating func noteComplete(_ name: EndpointName) { missed.remove(name) }

    /// What became of a change that was to be kept.
    package enum Admission: Sendable, Hashable {
        case kept
        /// There is no room; `isNews` the first time in this trouble.
        case refused(isNews: Bool)
    }

    /// Keeps a change that could not be stored, if there is room.
    ///
    /// - Parameters:
    ///   - entry: The change.
    ///   - state: The state before it.
    /// - Returns: Whether it is kept; if not, the endpoint is missed until its next good poll.
    package mutating func keep(
        _ entry: PendingChanges.Entry, after state: EndpointState
    ) -> Admission {
        guard pending.keep(entry, after: state) else {
            missed.insert(entry.endpoint.name)
            defer { isFullTold = true }
            return .refused(isNews: !isFullTold)
        }
        missed.remove(entry.endpoint.name)
        return .kept
    }

    /// The changes that wait and are to be tried now; see `PendingChanges.takeBatch()`.
    package mutating func takeBatch() -> [PendingChanges.Entry] { pending.takeBatch() }

    /// Notes that the first of the changes that wait of an endpoint is stored.
    ///
    /// - Parameters:
    ///   - name: The endpoint.
    ///   - snapshot: What the change led to, with its number.
    /// - Returns: The state to note for the endpoint; nil if there is nothing new in it.
    package mutating func noteStored(
        _ name: EndpointName, as snapshot: Snapshot
    ) -> EndpointState? {
        storedLate += 1
        return pending.noteStored(name, as: snapshot)
    }

    /// Notes that the first of the changes that wait of an endpoint could not be stored again.
    package mutating func noteStillFailing(_ name: EndpointName) { pending.noteFailed(name) }

    /// Takes the state after a poll; gives what of it may be written now.
    package mutating func note(_ poll: NotedPoll) -> NotedPoll { pending.note(poll) }

    /// Ends the trouble if nothing is missing any more.
    ///
    /// - Returns: If so, the number of changes that were stored late; otherwise nil.
    package mutating func recover() -> Int? {
        guard isTold, pending.isEmpty, missed.isEmpty, !isShared else { return nil }
        defer {
            isTold = false
            isFullTold = false
            storedLate = 0
        }
        return storedLate
    }
}
