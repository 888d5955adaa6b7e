// SPDX-License-Identifier: Apache-2.0

package import PollardCore
internal import Synchronization

/// The store of a daemon: one SQLite file, written by this process alone.
///
/// Runs on a queue of its own: an fsync(2) that takes long delays no other task.
package actor SQLiteStore: SnapshotStoring {
    private let executor: DispatchExecutor
    /// Nil once closed.
    private var bodies: BodyTable?
    /// Outside of the actor, so that noting a poll neither waits for the disk nor changes threads.
    private nonisolated let noted = Mutex(NotedPolls())
    /// Numbers of endpoints that are known to be in the file.
    private var endpoints: [EndpointName: Int64] = [:]
    private let path: String

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

    package func commit(
        _ change: NewChange, for name: EndpointName
    ) throws(StoreError) -> StoredChange {
        let bodies = try open
        let stored = try transaction(surviving: .powerFailure) { database throws(StoreError) in
            let endpoint = try self.endpointID(name, in: database)
            let body = try bodies.insert(
                change.body, digest: change.digest, after: change.previous?.id)
            let id = try database.insertSnapshot(of: change, endpoint: endpoint, body: body)
            try database.insert(change, id: id)
            try database.write(change.state, endpoint: endpoint)
            return StoredChange(change, id: id, name: name)
        }
        bodies.remember(change.body, digest: change.digest)
        noted.withLock { $0.forgetState(of: name) }
        return stored
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

    package nonisolated func note(_ poll: NotedPoll) async { noted.withLock { $0.note(poll) } }

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
            guard let bodies else {
                throw StoreError(.other, "the store '\(path)' was closed")
            }
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
