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
    /// The time that one pass may lose with changes that can't be stored: enough for dozens on a
    /// full disk, and for one on a store that is locked; a tenth of what flushes and reads have.
    package static let patience = Duration.milliseconds(100)
    /// The same at the end, which must not take for ever: enough for thousands on a full disk, and
    /// for six waits of 5 s for another process's lock.
    static let lastPatience = Duration.seconds(30)

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
    private let health = Mutex(StoreHealth())
    /// Held while news are told, so that they keep their order.
    private let telling = Mutex(())
    private let patience: Duration
    private let ticker = Ticker(label: "pollard.pending")

    /// - Parameters:
    ///   - store: Where changes are stored.
    ///   - reporter: What is told of them, and of trouble.
    ///   - patience: As `ChangeRecorder.patience`; another only in tests.
    package init(
        store: any SnapshotStoring, reporter: any Reporting,
        patience: Duration = ChangeRecorder.patience
    ) {
        self.store = store
        self.reporter = reporter
        self.patience = patience
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

    /// Gives up what is kept for an endpoint that is no longer polled, but what it changed.
    package func forget(_ name: EndpointName) {
        update { $0.forget(name) }
        reporter.forget(name)
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
        let waiting: Outcome? = update { health in
            health.noteFound(change)
            return health.pending.isEmpty ? nil : keep(entry, after: state, in: &health)
        }
        if let waiting { return waiting }
        do {
            let stored = try await store.commit(change, for: endpoint.name)
            await report(stored, of: endpoint)
            noteUpToDate(endpoint.name)
            return .stored(stored.snapshot)
        } catch {
            return update { health in
                health.noteFailure(of: .change, error)
                return keep(entry, after: state, in: &health)
            }
        }
    }

    private func keep(
        _ entry: PendingChanges.Entry, after state: EndpointState, in health: inout StoreHealth
    ) -> Outcome {
        let isFirst = health.pending.isEmpty
        guard health.keep(entry, after: state) else { return .refused }
        if isFirst { retrySoon() }
        return .kept(Snapshot(waiting: entry.change))
    }

    /// Reports a stored change and marks it as reported.
    ///
    /// - Parameters:
    ///   - stored: The change.
    ///   - endpoint: Its configuration, if it is still configured.
    private func report(_ stored: StoredChange, of endpoint: WatchedEndpoint?) async {
        reporter.report(.change(stored, of: endpoint))
        do {
            try await store.markReported(stored.id)
        } catch {
            // Stored and told all the same; the store makes up for the mark when it is flushed.
            noteFailure(of: .notes, error)
        }
    }

    /// Reports what the last run stored and did not report, under the ids that it was stored with;
    /// what can't be read is reported by `run` later.
    ///
    /// - Parameter endpoints: The configured endpoints.
    package func reportLeftOver(of endpoints: [EndpointName: WatchedEndpoint]) async {
        do {
            let unreported = try await store.unreportedChanges()
            for change in unreported where !health.withLock({ $0.isOwn(change) }) {
                await report(change, of: endpoints[change.name])
            }
            noteSuccess(of: .leftOver)
        } catch {
            noteFailure(of: .leftOver, error)
            retrySoon()
        }
    }

    // MARK: - What waits

    /// Stores and reports what waits, once a second while something does, until the task is
    /// cancelled.
    ///
    /// - Parameter endpoints: The configured endpoints, for what the last run left unreported.
    package func run(with endpoints: [EndpointName: WatchedEndpoint] = [:]) async {
        for await _ in ticker.ticks {
            await storePending()
            if health.withLock({ $0.missesLeftOver }) { await reportLeftOver(of: endpoints) }
            if health.withLock({ !$0.pending.isEmpty }) { retrySoon() }
        }
    }

    private func retrySoon() { ticker.set(to: Ticker.now().advanced(by: Self.retryPeriod)) }

    /// Stores and reports what waits, each endpoint's in order until one can't be stored.
    ///
    /// - Returns: How many were stored.
    @discardableResult
    package func storePending() async -> Int {
        var patience = patience
        return await storePending(&patience)
    }

    /// Tries for the last time to store what waits, and tells what is lost; polling has ended.
    ///
    /// - Returns: The number of changes that are lost.
    @discardableResult
    package func finish() async -> Int {
        var patience = Self.lastPatience
        while await storePending(&patience) > 0 {}
        let lost = health.withLock { $0.pending }
        if !lost.isEmpty { reporter.report(.changesLost(lost)) }
        return lost.count
    }

    /// One pass over all that waits, which ends early once changes that can't be stored took
    /// `patience`: they lower it by their time.
    private func storePending(_ patience: inout Duration) async -> Int {
        health.withLock { $0.beginPass() }
        var count = 0
        while !Task.isCancelled, patience > .zero {
            let batch = health.withLock { $0.takeBatch() }
            guard !batch.isEmpty else { break }
            let start = Ticker.now()
            let results = await commit(batch)
            let end = Ticker.now()
            var hasFailed = false
            for (entry, result) in zip(batch, results) {
                let name = entry.endpoint.name
                switch result {
                case .success(let stored):
                    // Told first: once nothing waits, any poll may tell that this is over.
                    await report(stored, of: entry.endpoint)
                    noteStored(name, as: stored.snapshot)
                    count += 1
                case .failure(let error):
                    update { $0.noteStillFailing(name, error) }
                    hasFailed = true
                }
            }
            if hasFailed { patience -= end.since(start) }
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

    private func noteStored(_ name: EndpointName, as snapshot: Snapshot) {
        // Nothing may be left of an endpoint that is no longer polled, also not what was told now.
        if health.withLock({ $0.pending.isForgotten(name) }) { reporter.forget(name) }
        update { health in
            guard let state = health.noteStored(name, as: snapshot) else { return }
            store.note(state, of: name)
        }
    }

    // MARK: - Trouble

    /// The trouble in a few words, for the status line; nil while there is none.
    package var troubleText: String? { health.withLock { $0.text } }

    /// Notes that the answer of an endpoint could not be compared with what is stored.
    package func noteUncompared(_ name: EndpointName, _ error: any Error) {
        update { $0.noteUncompared(name, error) }
    }

    /// Notes that nothing of an endpoint is missed, beside what waits: its last answer amounts to
    /// its last snapshot.
    package func noteUpToDate(_ name: EndpointName) { update { $0.noteUpToDate(name) } }

    /// Notes that the store could not do something for all endpoints together.
    package func noteFailure(of work: StoreHealth.Work, _ error: any Error) {
        update { $0.noteFailure(of: work, error) }
    }

    /// Notes that the store did what it may not have been able to do before.
    package func noteSuccess(of work: StoreHealth.Work) { update { $0.noteSuccess(of: work) } }

    /// Changes what is known of the store, and tells what is news in it.
    private func update<Value: Sendable>(_ change: (inout StoreHealth) -> Value) -> Value {
        let (value, hasNews) = health.withLock { (change(&$0), $0.hasNews) }
        guard hasNews else { return value }
        // Without the lock of `health`: a reader that is slow must not hold up every poll.
        telling.withLock { _ in
            for entry in health.withLock({ $0.takeNews() }) { reporter.report(entry) }
        }
        return value
    }
}
