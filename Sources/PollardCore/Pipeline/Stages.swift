// SPDX-License-Identifier: Apache-2.0

/// Fetches an endpoint: sends its request, retries, follows redirects.
package protocol Fetching: Sendable {
    /// The answer to one poll; a status of any class is an answer, not a failure.
    ///
    /// - Parameters:
    ///   - endpoint: What to fetch.
    ///   - validators: What makes the request conditional; empty for a plain one.
    /// - Returns: The answer, complete.
    /// - Throws: `PollFailure` if no complete answer was received, also when the task is
    ///   cancelled.
    func fetch(
        _ endpoint: EndpointConfiguration, validators: Validators
    ) async throws(PollFailure) -> Answer

    /// Drops what is kept for an endpoint that is no longer polled, its credentials among it.
    func forget(_ name: EndpointName)
}

/// Keeps snapshots, changes and state, so that a restart continues where the process ended.
///
/// Errors are any error with a one-line description that says what is wrong and what to do.
package protocol SnapshotStoring: Sendable {
    /// The content address of `body`.
    func digest(of body: [UInt8]) -> ContentDigest

    /// The state of each endpoint that was ever polled.
    func states() async throws -> [EndpointName: EndpointState]

    /// The stored body with this digest; nil if there is none.
    ///
    /// - Throws: `LostBody` if the bytes no longer have the digest; any other error if the store
    ///   can't be read now.
    func body(_ digest: ContentDigest) async throws -> [UInt8]?

    /// Stores snapshot, change and the state after it in one transaction; the snapshot before is
    /// the last one stored, whatever its number in `change`.
    ///
    /// - Returns: The change with its numbers; it is not yet marked as reported.
    func commit(_ change: NewChange, for name: EndpointName) async throws -> StoredChange

    /// Marks a change as reported; until then a restart reports it again.
    ///
    /// - Throws: If that could not be written; `flush()` then tries again.
    func markReported(_ id: Int64) async throws

    /// Changes that were stored and never marked as reported, oldest first.
    func unreportedChanges() async throws -> [StoredChange]

    /// Notes the outcome of a poll: state, and statistics by hour.
    ///
    /// Kept in memory until the next `flush()`, so that thousands of polls a second are one
    /// transaction.
    func note(_ poll: NotedPoll)

    /// Notes the state of an endpoint without a poll of its own, as `note(_:)` does.
    func note(_ state: EndpointState, of name: EndpointName)

    /// Writes what `note`, and a `markReported` that failed, keep in memory.
    func flush() async throws
}

/// A new snapshot and what it changes, ready to be stored.
package struct NewChange: Sendable {
    package enum Kind: String, Sendable { case first, changed }

    package var kind: Kind
    /// Identifies the event in the journal: 32 hexadecimal digits, chosen at random.
    package var event: String
    package var digest: ContentDigest
    package var body: [UInt8]
    package var contentType: String?
    package var takenAt: Timestamp
    /// The snapshot before; nil for the first.
    package var previous: Snapshot?
    package var summary: ChangeSummary
    /// The state to keep once this is stored; its `snapshot` is filled in by the store.
    package var state: EndpointState

    package init(
        kind: Kind, event: String, digest: ContentDigest, body: [UInt8], contentType: String?,
        takenAt: Timestamp, previous: Snapshot?, summary: ChangeSummary, state: EndpointState
    ) {
        self.kind = kind
        self.event = event
        self.digest = digest
        self.body = body
        self.contentType = contentType
        self.takenAt = takenAt
        self.previous = previous
        self.summary = summary
        self.state = state
    }
}

/// A change as stored, with all that is needed to report it.
package struct StoredChange: Sendable, Hashable {
    package var id: Int64
    package var name: EndpointName
    package var kind: NewChange.Kind
    package var event: String
    package var snapshot: Snapshot
    package var previousDigest: ContentDigest?
    package var summary: ChangeSummary
    /// How the answer that gave the snapshot was received.
    package var poll: EndpointState.LastPoll?

    package init(
        id: Int64, name: EndpointName, kind: NewChange.Kind, event: String, snapshot: Snapshot,
        previousDigest: ContentDigest?, summary: ChangeSummary,
        poll: EndpointState.LastPoll? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.event = event
        self.snapshot = snapshot
        self.previousDigest = previousDigest
        self.summary = summary
        self.poll = poll
    }
}

/// What differs between two snapshots, in the bounded form that is stored and reported.
package struct ChangeSummary: Sendable, Hashable {
    package var added = 0
    package var removed = 0
    package var updated = 0
    package var moved = 0
    /// Readable lines: `+ /3 {...}`, `- /tags/0 "a"`, `~ /price 10 -> 12`; at most 20.
    package var lines: [String] = []
    /// The number of lines beyond those in `lines`.
    package var furtherLines = 0
    /// An RFC 6902 patch as JSON text; nil for other formats than JSON, or above 64 KiB.
    package var patch: String?
    /// Whether there is a patch, but too long to be kept here.
    package var isPatchTruncated = false
    /// What a reader must know to trust it, as in `two items have the identity 7`.
    package var remarks: [String] = []

    /// Whether this is worth telling: items that only moved are not, since many servers list them
    /// in no order at all.
    package var isChange: Bool { added + removed + updated > 0 }

    package init() {}
}

/// The outcome of one poll, for state and statistics.
package struct NotedPoll: Sendable {
    package var name: EndpointName
    package var at: Timestamp
    package var duration: Duration
    package var isFailure: Bool
    /// The state after the poll.
    package var state: EndpointState

    package init(
        name: EndpointName, at: Timestamp, duration: Duration, isFailure: Bool,
        state: EndpointState
    ) {
        self.name = name
        self.at = at
        self.duration = duration
        self.isFailure = isFailure
        self.state = state
    }
}

/// Tells what happened: to the journal, a terminal, or a test.
package protocol Reporting: Sendable {
    /// Reports `entry`; returns once it is handed over.
    func report(_ entry: EventEntry)

    /// Drops what is kept for an endpoint that is no longer polled; most keep nothing.
    func forget(_ name: EndpointName)
}

extension Reporting {
    package func forget(_ name: EndpointName) {}
}
