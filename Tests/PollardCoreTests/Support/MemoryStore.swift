// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Synchronization

/// A store in memory that can be told to fail.
actor MemoryStore: SnapshotStoring {
    /// What can fail.
    enum Operation { case read, commit, mark }

    struct Trouble: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var bodies: [ContentDigest: [UInt8]] = [:]
    private(set) var commits: [NewChange] = []
    private var stored: [StoredChange] = []
    private(set) var reported: [Int64] = []
    private nonisolated let notes = Mutex<
        (polls: [NotedPoll], states: [EndpointName: EndpointState])
    >(
        ([], [:]))
    private var troubles: [Operation: Trouble] = [:]
    /// Bodies that don't fit on the disk.
    private var oversized: Set<[UInt8]> = []
    /// Every attempt to commit, by the body.
    private(set) var attempts: [String] = []
    /// What an earlier run stored and did not report.
    private var leftOver: [StoredChange] = []
    /// What happened, in order.
    private(set) var steps: [String] = []
    /// Called within each commit, before anything is stored.
    private var atCommit: @Sendable () -> Void = {}

    /// Lets `operation` fail from now on, or work again for nil.
    func fail(_ description: String?, at operation: Operation = .commit) {
        troubles[operation] = description.map { Trouble(description: $0) }
    }

    /// Lets commits of this body fail, as a large one on a disk that is nearly full.
    func refuse(_ body: String) { oversized.insert(Array(body.utf8)) }

    func leave(_ changes: [StoredChange]) { leftOver = changes }

    func atCommit(_ action: @escaping @Sendable () -> Void) { atCommit = action }

    func insert(_ body: [UInt8], as digest: ContentDigest) { bodies[digest] = body }

    func forget(_ digest: ContentDigest) { bodies[digest] = nil }

    nonisolated func digest(of body: [UInt8]) -> ContentDigest { Self.digest(of: body) }

    /// Not SHA-256, but different for different bodies.
    static func digest(of body: [UInt8]) -> ContentDigest {
        var hash = StableHash()
        hash.combine(String(decoding: body, as: UTF8.self))
        let word = (0..<8).map { UInt8(truncatingIfNeeded: hash.value >> (8 * $0)) }
        guard let digest = ContentDigest(bytes: word + word + word + word) else {
            preconditionFailure("four words are 32 bytes")
        }
        return digest
    }

    /// The polls that were noted, in order.
    nonisolated var noted: [NotedPoll] { notes.withLock { $0.polls } }

    /// What was committed or noted last of each endpoint.
    func states() async throws -> [EndpointName: EndpointState] { notes.withLock { $0.states } }

    func body(_ digest: ContentDigest) async throws -> [UInt8]? {
        if let trouble = troubles[.read] { throw trouble }
        return bodies[digest]
    }

    func commit(_ change: NewChange, for name: EndpointName) async throws -> StoredChange {
        attempts.append(String(decoding: change.body, as: UTF8.self))
        if let trouble = troubles[.commit] { throw trouble }
        if oversized.contains(change.body) { throw Trouble(description: "disk full") }
        atCommit()
        commits.append(change)
        steps.append("commit")
        bodies[change.digest] = change.body
        let id = Int64(commits.count)
        let snapshot = Snapshot(
            id: id, digest: change.digest, contentType: change.contentType,
            takenAt: change.takenAt)
        notes.withLock { notes in
            notes.states[name] = change.state
            notes.states[name]?.snapshot = snapshot
        }
        let change = StoredChange(
            id: id, name: name, kind: change.kind, event: change.event, snapshot: snapshot,
            previousDigest: change.previous?.digest, summary: change.summary,
            poll: change.state.lastPoll)
        stored.append(change)
        return change
    }

    func markReported(_ id: Int64) async throws {
        if let trouble = troubles[.mark] { throw trouble }
        reported.append(id)
        steps.append("mark")
    }

    func unreportedChanges() async throws -> [StoredChange] {
        if let trouble = troubles[.read] { throw trouble }
        return (leftOver + stored).filter { !reported.contains($0.id) }
    }

    nonisolated func note(_ poll: NotedPoll) {
        notes.withLock { notes in
            notes.polls.append(poll)
            notes.states[poll.name] = poll.state
        }
    }

    nonisolated func note(_ state: EndpointState, of name: EndpointName) {
        notes.withLock { $0.states[name] = state }
    }

    func flush() async throws {}
}
