// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Stores each change, then reports it, then marks it as reported; keeps what can't be stored, and
/// does the same with it later.
///
/// While something waits, changes found meanwhile wait behind it without an attempt of their own:
/// a store that fails slowly, because it is locked, must not hold up every poll.
package final class ChangeRecorder: Sendable {
    /// The time between two attempts to store what waits: soon after a disk is freed, and nothing
    /// to speak of beside the polls that go on.
    package static let retryPeriod = Duration.seconds(1)

    /// What became of a change.
    package enum Outcome: Sendable, Hashable {
        case stored(Snapshot)
        /// It waits in memory; later answers are compared with it.
        case kept(Snapshot)
        /// There is no room; the next poll has to find it again.
        case refused
    }

    private let store: any SnapshotStoring
    private let reporter: any Reporting
    /// Trouble is reported with the lock held, so that its beginning and its end keep their order.
    private let health = Mutex(StoreHealth())
    private let ticker = Ticker(label: "pollard.pending")

    package init(store: any SnapshotStoring, reporter: any Reporting) {
        self.store = store
        self.reporter = reporter
    }

    // MARK: - What polls need

    /// The content address of `body`.
    package func digest(of body: [UInt8]) -> ContentDigest { store.digest(of: body) }

    /// The body of the last snapshot of an endpoint, stored or waiting; nil if there is none.
    ///
    /// - Throws: As the store does.
    package func body(_ digest: ContentDigest, of name: EndpointName) async throws -> [UInt8]? {
        if let body = health.withLock({ $0.pending.body(digest, of: name) }) { return body }
        return try await store.body(digest)
    }

    /// The state of each endpoint, changes that wait included.
    ///
    /// - Throws: As the store does.
    package func states() async throws -> [EndpointName: EndpointState] {
        let stored = try await store.states()
        return stored.merging(health.withLock { $0.pending.states }) { $1 }
    }

    /// Notes the outcome of a poll.
    package func note(_ poll: NotedPoll) {
        // With the lock held: else it might replace what is noted of a change stored meanwhile.
        health.withLock { store.note($0.note(poll)) }
    }

    // MARK: - Changes

    /// Stores and reports a change, or keeps it until that is possible.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - endpoint: Its endpoint.
    ///   - state: The state before it.
    /// - Returns: What became of it; what the store says is wrong with it is told.
    package func record(
        _ change: NewChange, of endpoint: WatchedEndpoint, after state: EndpointState
    ) async -> Outcome {
        let entry = PendingChanges.Entry(change: change, endpoint: endpoint)
        let waiting = health.withLock { health in
            health.pending.isEmpty ? nil : keep(entry, after: state, &health)
        }
        if let waiting { return waiting }
        do {
            let stored = try await store.commit(change, for: endpoint.name)
            await report(stored, of: endpoint)
            noteComplete(endpoint.name)
            return .stored(stored.snapshot)
        } catch {
            return health.withLock { health in
                tell(error, &health)
                return keep(entry, after: state, &health)
            }
        }
    }

    private func keep(
        _ entry: PendingChanges.Entry, after state: EndpointState, _ health: inout StoreHealth
    ) -> Outcome {
        let isFirst = health.pending.isEmpty
        switch health.keep(entry, after: state) {
        case .kept:
            if isFirst { ticker.set(to: Ticker.now().advanced(by: Self.retryPeriod)) }
            return .kept(Snapshot(waiting: entry.change))
        case .refused(let isNews):
            if isNews {
                reporter.report(.storeBacklogFull(health.pending, entry.endpoint.name))
            }
            return .refused
        }
    }

    /// Reports a stored change and marks it as reported.
    ///
    /// - Parameters:
    ///   - stored: The change.
    ///   - endpoint: Its configuration, if it is still configured.
    package func report(_ stored: StoredChange, of endpoint: WatchedEndpoint?) async {
        reporter.report(.change(stored, of: endpoint))
        do {
            try await store.markReported(stored.id)
        } catch {
            // Stored and told all the same; the store makes up for the mark when it is flushed.
            noteShared(error)
        }
    }

    // MARK: - What waits

    /// Stores and reports what waits, once a second while something does, until the task is
    /// cancelled.
    package func run() async {
        for await _ in ticker.ticks {
            await storePending()
            guard health.withLock({ !$0.pending.isEmpty }) else { continue }
            ticker.set(to: Ticker.now().advanced(by: Self.retryPeriod))
        }
    }

    /// Stores and reports what waits, in order, until a change can't be stored.
    ///
    /// - Returns: How many were stored.
    @discardableResult
    package func storePending() async -> Int {
        var count = 0
        while !Task.isCancelled {
            let batch = health.withLock { $0.takeBatch() }
            guard !batch.isEmpty else { return count }
            let results = await commit(batch)
            var hasFailed = false
            for (entry, result) in zip(batch, results) {
                // Told first: once nothing waits any more, any poll may tell that this is over.
                switch result {
                case .success(let stored):
                    await report(stored, of: entry.endpoint)
                    count += 1
                case .failure: hasFailed = true
                }
                note(result, of: entry.endpoint.name)
            }
            tellRecovery()
            guard !hasFailed else { return count }
        }
        return count
    }

    /// Commits changes at the same moment, so that the store can write them together.
    private func commit(
        _ batch: [PendingChanges.Entry]
    ) async -> [Result<StoredChange, any Error>] {
        await withTaskGroup { [store] group in
            for (index, entry) in batch.enumerated() {
                group.addTask { () -> (Int, Result<StoredChange, any Error>) in
                    do {
                        return (
                            index,
                            .success(
                                try await store.commit(entry.change, for: entry.endpoint.name))
                        )
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func note(_ result: Result<StoredChange, any Error>, of name: EndpointName) {
        health.withLock { health in
            switch result {
            case .success(let stored):
                guard let state = health.noteStored(name, as: stored.snapshot) else { return }
                store.note(state, of: name)
            case .failure(let error):
                tell(error, &health)
                health.noteStillFailing(name)
            }
        }
    }

    /// Tries for the last time to store what waits, and tells what is lost; polling has ended.
    package func finish() async {
        while await storePending() > 0 {}
        let lost = health.withLock { $0.pending }
        if !lost.isEmpty { reporter.report(.changesLost(lost)) }
    }

    // MARK: - Trouble

    /// The trouble in a few words, for the status line; nil while there is none.
    package var troubleText: String? { health.withLock { $0.text } }

    /// Notes that the answer of an endpoint could not be compared with what is stored.
    package func noteMissed(_ name: EndpointName, _ error: any Error) {
        health.withLock { health in
            tell(error, &health)
            health.noteMissed(name)
        }
    }

    /// Notes that nothing of an endpoint is missed, beside what waits: its last answer amounts to
    /// its last snapshot, or it is no longer polled.
    package func noteComplete(_ name: EndpointName) {
        health.withLock { $0.noteComplete(name) }
        tellRecovery()
    }

    /// Notes what became of something that is written for all endpoints together.
    ///
    /// - Parameter error: Why it could not be written; nil if it was.
    package func noteShared(_ error: (any Error)?) {
        health.withLock { health in
            health.noteShared(isMissing: error != nil)
            if let error { tell(error, &health) }
        }
        if error == nil { tellRecovery() }
    }

    private func tell(_ error: any Error, _ health: inout StoreHealth) {
        guard health.noteFailure() else { return }
        reporter.report(.storeTrouble(String(describing: error)))
    }

    private func tellRecovery() {
        health.withLock { health in
            guard let count = health.recover() else { return }
            reporter.report(.storeRecovered(storedLate: count))
        }
    }
}
