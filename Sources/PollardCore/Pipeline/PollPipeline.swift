// SPDX-License-Identifier: Apache-2.0

/// One poll from its request to its report.
///
/// Fetch, then compare with the stored snapshot, then store, then report; whatever fails on the
/// way leaves the snapshot and its validators as they were, so that the next poll sees the same
/// change again.
package struct PollPipeline: Sendable {
    package var fetcher: any Fetching
    package var store: any SnapshotStoring
    package var reporter: any Reporting
    /// Told of store trouble, once for each time it begins and ends.
    package var storeHealth: StoreHealth
    /// Told of polls that got no answer, to tell trouble of the network from that of hosts.
    package var networkHealth = NetworkHealth()
    /// The wall clock.
    package var now: @Sendable () -> Timestamp
    /// Chooses the id of a new event: 32 hexadecimal digits.
    package var newEvent: @Sendable () -> String

    package init(
        fetcher: any Fetching, store: any SnapshotStoring, reporter: any Reporting,
        storeHealth: StoreHealth, now: @escaping @Sendable () -> Timestamp,
        newEvent: @escaping @Sendable () -> String
    ) {
        self.fetcher = fetcher
        self.store = store
        self.reporter = reporter
        self.storeHealth = storeHealth
        self.now = now
        self.newEvent = newEvent
    }

    /// Polls `endpoint` once.
    ///
    /// - Parameters:
    ///   - endpoint: What is polled.
    ///   - state: The state after the poll before.
    /// - Returns: The state after this poll and what became of it.
    package func poll(_ endpoint: WatchedEndpoint, from state: EndpointState) async -> PollResult {
        let start = now()
        do throws(PollFailure) {
            let answer = try await fetch(endpoint, state)
            let finding = try await compare(answer, endpoint, state)
            return await succeed(endpoint, answer, finding, start, state)
        } catch {
            guard !Task.isCancelled else { return PollResult(outcome: .cancelled, state: state) }
            return await fail(endpoint, error, start, state)
        }
    }

    // MARK: - Fetch

    private func fetch(
        _ endpoint: WatchedEndpoint, _ state: EndpointState
    ) async throws(PollFailure) -> Answer {
        let validators = endpoint.validatorsToSend(state)
        let answer = try await fetcher.fetch(endpoint.configuration, validators: validators)
        switch answer.status {
        case 200..<300: return answer
        case 304 where !validators.isEmpty: return answer
        default: throw PollFailure(unexpected: answer)
        }
    }

    // MARK: - Compare

    private func compare(
        _ answer: Answer, _ endpoint: WatchedEndpoint, _ state: EndpointState
    ) async throws(PollFailure) -> Finding {
        guard answer.status != 304 else { return .unchanged }
        let digest = store.digest(of: answer.body)
        if digest == state.snapshot?.digest { return .unchanged }
        let content = try endpoint.content(of: answer)
        guard let snapshot = state.snapshot else { return .first(digest) }
        let old: SnapshotContent
        do {
            old = try await storedContent(snapshot, endpoint)
        } catch let loss as LostBody {
            return .changed(digest, ChangeSummary(withoutPrevious: loss))
        } catch {
            return .incomparable(error)
        }
        let rules = endpoint.configuration.rules
        guard let summary = content.difference(from: old, rules: rules), summary.isChange
        else { return .unchanged }
        return .changed(digest, summary)
    }

    private func storedContent(
        _ snapshot: Snapshot, _ endpoint: WatchedEndpoint
    ) async throws -> SnapshotContent {
        guard let body = try await store.body(snapshot.digest) else {
            throw LostBody("the store has no body \(snapshot.digest)")
        }
        return endpoint.storedContent(of: body, contentType: snapshot.contentType)
    }

    private enum Finding {
        case unchanged
        case first(ContentDigest)
        case changed(ContentDigest, ChangeSummary)
        /// The stored snapshot could not be read this time.
        case incomparable(any Error)
    }

    // MARK: - Store and report

    private func succeed(
        _ endpoint: WatchedEndpoint, _ answer: Answer, _ finding: Finding, _ start: Timestamp,
        _ state: EndpointState
    ) async -> PollResult {
        var after = state
        let poll = EndpointState.LastPoll(
            at: start, duration: answer.timing.total, status: answer.status, failure: nil,
            attempts: answer.attempts)
        after.lastPoll = poll
        noteAnswer(of: endpoint, start)
        warnOfCertificate(answer.certificateExpiry, endpoint, start, &after)
        // Told before a commit may store that it was told: a crash in between repeats it.
        if case .recovered(let outage, let failures) =
            after.alert.noteSuccess(at: start, endpoint.configuration.alert)
        {
            reporter.report(
                .recovered(
                    endpoint, answer, outage: outage, failures: failures, event: newEvent()))
        }
        let outcome: PollOutcome
        switch finding {
        case .unchanged:
            endpoint.keep(answer, in: &after)
            noteStoreSuccess(of: endpoint.name)
            outcome = .unchanged
        case .first(let digest), .changed(let digest, _):
            outcome = await commit(endpoint, answer, finding, digest, &after)
        case .incomparable(let error):
            noteStoreFailure(error, of: endpoint.name)
            outcome = .notStored
        }
        let result = PollResult(outcome: outcome, state: after, attempts: answer.attempts)
        return await note(result, poll, of: endpoint)
    }

    /// Stores a new snapshot, reports it, and marks it as reported.
    private func commit(
        _ endpoint: WatchedEndpoint, _ answer: Answer, _ finding: Finding, _ digest: ContentDigest,
        _ state: inout EndpointState
    ) async -> PollOutcome {
        var stored = state
        endpoint.keep(answer, in: &stored)
        var change = NewChange(
            kind: .first, event: newEvent(), digest: digest, body: answer.body,
            contentType: answer.contentType, takenAt: stored.lastPoll?.at ?? now(),
            previous: state.snapshot, summary: ChangeSummary(), state: stored)
        if case .changed(_, let summary) = finding {
            change.kind = .changed
            change.summary = endpoint.redactor.redact(summary)
            change.state.lastChange = change.takenAt
        }
        let saved: StoredChange
        do {
            saved = try await store.commit(change, for: endpoint.name)
        } catch {
            noteStoreFailure(error, of: endpoint.name)
            return .notStored
        }
        state = change.state
        state.snapshot = saved.snapshot
        noteStoreSuccess(of: endpoint.name)
        reporter.report(.change(saved, of: endpoint))
        do {
            try await store.markReported(saved.id)
        } catch {
            // Stored and told all the same; the store makes up for the mark when it is flushed.
            noteStoreFailure(error, of: nil)
        }
        return change.kind == .first ? .first : .changed
    }

    private func fail(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, _ start: Timestamp,
        _ state: EndpointState
    ) async -> PollResult {
        var after = state
        let message = endpoint.redactor.redact(failure.message)
        let poll = EndpointState.LastPoll(
            at: start, duration: failure.timing.total, status: failure.status, failure: message,
            attempts: failure.attempts)
        after.lastPoll = poll
        warnOfCertificate(failure.certificateExpiry, endpoint, start, &after)
        if counts(failure, of: endpoint, start) { alert(endpoint, failure, start, &after) }
        let result = PollResult(
            outcome: .failed(failure.kind), state: after, attempts: failure.attempts)
        return await note(result, poll, of: endpoint)
    }

    /// Counts a failure, and tells what follows from that.
    private func alert(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, _ start: Timestamp,
        _ state: inout EndpointState
    ) {
        let policy = endpoint.configuration.alert
        // Told before it is stored that it was told: a crash in between repeats it.
        switch state.alert.noteFailure(at: start, policy) {
        case .failing:
            let failures = state.alert.failures(countedBy: policy)
            reporter.report(
                .failing(endpoint, failure, failures: failures, event: newEvent()))
        case .stillFailing(let outage, let failures):
            reporter.report(
                .stillFailing(
                    endpoint, failure, outage: outage, failures: failures, event: newEvent()))
        case .recovered, nil: break
        }
    }

    private func note(
        _ result: PollResult, _ poll: EndpointState.LastPoll, of endpoint: WatchedEndpoint
    ) async -> PollResult {
        let noted = NotedPoll(
            name: endpoint.name, at: poll.at, duration: poll.duration,
            isFailure: poll.failure != nil, state: result.state)
        await store.note(noted)
        return result
    }

    private func noteStoreFailure(_ error: any Error, of name: EndpointName?) {
        guard storeHealth.noteFailure(of: name) else { return }
        reporter.report(.storeTrouble(String(describing: error)))
    }

    /// Gives up what is kept for an endpoint that is no longer polled, and what the store misses.
    package func forget(_ name: EndpointName) {
        fetcher.forget(name)
        reporter.forget(name)
        noteStoreSuccess(of: name)
    }

    private func noteStoreSuccess(of name: EndpointName) {
        guard storeHealth.noteSuccess(of: name) else { return }
        reporter.report(.storeRecovered())
    }
}
