// SPDX-License-Identifier: Apache-2.0

package import PollardCore
internal import Synchronization

/// The store of a daemon: one SQLite file, written by this process alone.
///
/// Runs on a queue of its own: an fsync(2) that takes long delays no other task.
package actor SQLiteStore: SnapshotStoring {
    /// The most changes in one transaction: beyond some dozens the wait for the disk costs little
    /// of each, and the first should not wait long for the last.
    static let maximumGroup = 64

    private let executor: DispatchExecutor
    /// Nil once closed.
    private var bodies: BodyTable?
    /// Outside of the actor, so that noting a poll neither waits for the disk nor changes threads.
    nonisolated let noted = Mutex(NotedPolls())
    /// Changes for the next transaction.
    nonisolated let waiting = Mutex<[Commit]>([])
    /// Numbers of endpoints that are known to be in the file.
    private var endpoints: [EndpointName: Int64] = [:]
    private let path: String

    /// A change on its way to the disk.
    final class Commit: Sendable {
        let change: NewChange
        let name: EndpointName
        /// Nil until it was tried.
        let result = Mutex<Result<StoredChange, StoreError>?>(nil)

        init(_ change: NewChange, _ name: EndpointName) {
            self.change = change
            self.name = name
        }
    }

    /// Opens the store at `path`, or creates it in a directory that is there.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - busyTimeout: The time that a write waits for another process's lock; 5 s unless given.
    /// - Throws: `StoreError`; the file is unchanged unless it is a sound store.
    package init(path: String, busyTimeout: Duration? = nil) throws(StoreError) {
        self.path = path
        executor = DispatchExecutor(label: "pollard.store")
        bodies = try BodyTable(
            database: .openForWriting(
                path: path, busyTimeout: busyTimeout ?? Database.defaultBusyTimeout),
            cachedBytes: BodyCache.defaultMaximumBytes)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    package nonisolated func digest(of body: [UInt8]) -> ContentDigest { ContentDigest(of: body) }

    /// The state of each endpoint that was ever polled, what is only noted included.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    package func states() throws(StoreError) -> [EndpointName: EndpointState] {
        var states = try database.states()
        for (name, state) in noted.withLock({ $0.states }) { states[name] = state }
        return states
    }

    package func body(_ digest: ContentDigest) throws -> [UInt8]? {
        do {
            return try open.body(digest)
        } catch  where error.code == .corrupt {
            throw LostBody(error.message)
        }
    }

    /// Those that come while the disk is waited for become one transaction, and wait for it once;
    /// one that fails does not fail the others.
    package nonisolated func commit(
        _ change: NewChange, for name: EndpointName
    ) async throws(StoreError) -> StoredChange {
        let commit = Commit(change, name)
        waiting.withLock { $0.append(commit) }
        while true {
            await commitWaiting()
            // Without one, others came first, and filled the transaction.
            if let result = commit.result.withLock({ $0 }) { return try result.get() }
        }
    }

    private func commitWaiting() {
        let group = waiting.withLock { waiting in
            defer { waiting.removeFirst(min(waiting.count, Self.maximumGroup)) }
            return Array(waiting.prefix(Self.maximumGroup))
        }
        guard !group.isEmpty else { return }
        do throws(StoreError) {
            let bodies = try open
            let results = try transaction(surviving: .powerFailure) { database throws(StoreError) in
                var results: [Result<StoredChange, StoreError>] = []
                for commit in group {
                    results.append(
                        try database.part { () throws(StoreError) in
                            try self.write(commit.change, for: commit.name, to: bodies)
                        })
                }
                return results
            }
            for (commit, result) in zip(group, results) {
                switch result {
                case .success:
                    bodies.remember(commit.change.body, digest: commit.change.digest)
                    noted.withLock { $0.forgetState(of: commit.name) }
                case .failure: endpoints = [:]
                }
                commit.result.withLock { $0 = result }
            }
        } catch {
            for commit in group { commit.result.withLock { $0 = .failure(error) } }
        }
    }

    package func markReported(_ id: Int64) throws(StoreError) {
        do {
            // A mark that is lost means that the event is reported twice, which its readers can
            // tell.
            try transaction(surviving: .processEnd) { database throws(StoreError) in
                try database.markReported(id)
                guard database.changedRows == 1 else {
                    throw StoreError(
                        .other, "there is no change \(id) in the store '\(self.path)'")
                }
            }
        } catch {
            noted.withLock { $0.note(reported: id) }
            throw error
        }
    }

    package func unreportedChanges() throws(StoreError) -> [StoredChange] {
        try database.unreportedChanges()
    }

    package nonisolated func note(_ poll: NotedPoll) { noted.withLock { $0.note(poll) } }

    package nonisolated func note(_ state: EndpointState, of name: EndpointName) {
        noted.withLock { $0.note(state, of: name) }
    }

    package func flush() throws(StoreError) {
        let batch = noted.withLock { $0.take() }
        guard !batch.isEmpty else { return }
        do {
            // A disk that is made to write once a second wears out for statistics.
            try transaction(surviving: .processEnd) { database throws(StoreError) in
                try self.write(batch, to: database)
            }
        } catch {
            noted.withLock { $0.restore(batch) }
            throw error
        }
    }

    /// Returns once the store's thread has done what it was asked before: a sign of life.
    package func showLife() {}

    /// The number of changes from `start` on; first snapshots are none.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    package func changeCount(since start: Timestamp) throws(StoreError) -> Int {
        try database.changeCount(since: start)
    }

    /// Flushes, and closes the file: another process may open the store from then on.
    ///
    /// - Throws: `StoreError` if what was noted could not be written; the file is closed all the
    ///   same.
    package func close() throws(StoreError) {
        defer { bodies = nil }
        if bodies != nil { try flush() }
    }

    // MARK: - Parts

    private var open: BodyTable {
        get throws(StoreError) {
            guard let bodies else { throw StoreError(.other, "the store '\(path)' was closed") }
            return bodies
        }
    }

    private var database: Database {
        get throws(StoreError) { try open.database }
    }

    private func transaction<Value>(
        surviving durability: Database.Durability,
        _ body: (Database) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let database = try database
        do {
            return try database.transaction(surviving: durability) { () throws(StoreError) in
                try body(database)
            }
        } catch {
            // Endpoints added by the transaction are not there after all.
            endpoints = [:]
            throw error
        }
    }

    private func write(
        _ change: NewChange, for name: EndpointName, to bodies: BodyTable
    ) throws(StoreError) -> StoredChange {
        let database = bodies.database
        let endpoint = try endpointID(name, in: database)
        let previous = change.previous == nil ? nil : try database.lastSnapshot(of: endpoint)
        let body = try bodies.insert(change.body, digest: change.digest, after: previous)
        let id = try database.insertSnapshot(
            of: change, endpoint: endpoint, body: body, previous: previous)
        try database.insert(change, id: id)
        try database.write(change.state, endpoint: endpoint)
        return StoredChange(change, id: id, name: name)
    }

    private func write(_ batch: NotedPolls, to database: Database) throws(StoreError) {
        for (name, state) in batch.states {
            try database.write(state, endpoint: try endpointID(name, in: database))
        }
        for (hour, endpoints) in batch.hours {
            for (name, statistics) in endpoints {
                let endpoint = try endpointID(name, in: database)
                try database.add(statistics, endpoint: endpoint, hour: hour)
            }
        }
        for id in batch.reported { try database.markReported(id) }
    }

    private func endpointID(
        _ name: EndpointName, in database: Database
    ) throws(StoreError) -> Int64 {
        if let known = endpoints[name] { return known }
        let id = try database.endpointID(name)
        endpoints[name] = id
        return id
    }
}

extension StoredChange {
    /// The change as it reads back from the store: durations in whole microseconds.
    fileprivate init(_ change: NewChange, id: Int64, name: EndpointName) {
        let poll = change.state.lastPoll.map { poll in
            EndpointState.LastPoll(
                at: poll.at, duration: .microseconds(poll.duration.wholeMicroseconds),
                status: poll.status, failure: nil, attempts: poll.attempts)
        }
        self.init(
            id: id, name: name, kind: change.kind, event: change.event,
            snapshot: Snapshot(
                id: id, digest: change.digest, contentType: change.contentType,
                takenAt: change.takenAt),
            previousDigest: change.previous?.digest, summary: change.summary, poll: poll)
    }
}
