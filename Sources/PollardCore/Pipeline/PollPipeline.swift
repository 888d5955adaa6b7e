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
    /// The wall clock.
    package var now: @Sendable () -> Timestamp
    /// Chooses the id of a new event: 32 hexadecimal digits.
    package var newEvent: @Sendable () -> String
    /// Whether every poll is reported, at debug level.
    package var isVerbose: Bool

    package init(
        fetcher: any Fetching, store: any SnapshotStoring, reporter: any Reporting,
        storeHealth: StoreHealth, now: @escaping @Sendable () -> Timestamp,
        newEvent: @escaping @Sendable () -> String, isVerbose: Bool = false
    ) {
        self.fetcher = fetcher
        self.store = store
        self.reporter = reporter
        self.storeHealth = storeHealth
        self.now = now
        self.newEvent = newEvent
        self.isVerbose = isVerbose
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
        let content = try endpoint.content(of: answer.body, contentType: answer.contentType)
        guard let snapshot = state.snapshot else { return .first(digest) }
        let old: SnapshotContent
        do {
            old = try await storedContent(snapshot, endpoint)
        } catch {
            return .changed(digest, ChangeSummary(withoutPrevious: error))
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
            throw MissingBody(digest: snapshot.digest)
        }
        return endpoint.storedContent(of: body, contentType: snapshot.contentType)
    }

    private enum Finding {
        case unchanged
        case first(ContentDigest)
        case changed(ContentDigest, ChangeSummary)
    }

    // MARK: - Store and report

    private func succeed(
        _ endpoint: WatchedEndpoint, _ answer: Answer, _ finding: Finding, _ start: Timestamp,
        _ state: EndpointState
    ) async -> PollResult {
        var after = state
        let poll = EndpointState.LastPoll(
            at: start, duration: answer.timing.total, status: answer.status, failure: nil)
        after.lastPoll = poll
        let decision = after.alert.noteSuccess(at: start, endpoint.configuration.alert)
        let outcome: PollOutcome
        switch finding {
        case .unchanged:
            endpoint.keep(answer, in: &after)
            outcome = .unchanged
        case .first(let digest), .changed(let digest, _):
            outcome = await commit(endpoint, answer, finding, digest, &after)
        }
        if case .recovered(let outage, let failures) = decision {
            reporter.report(
                .recovered(endpoint, outage: outage, failures: failures, event: newEvent()))
        }
        return await finish(
            endpoint, PollResult(outcome: outcome, state: after), poll, answer.attempts)
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
        do {
            let saved = try await store.commit(change, for: endpoint.name)
            state = change.state
            state.snapshot = saved.snapshot
            if storeHealth.noteSuccess() { reporter.report(.storeRecovered()) }
            reporter.report(.change(saved, of: endpoint))
            try await store.markReported(saved.id)
            return change.kind == .first ? .first : .changed
        } catch {
            reportStoreTrouble(error)
            return .notStored
        }
    }

    private func fail(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, _ start: Timestamp,
        _ state: EndpointState
    ) async -> PollResult {
        var after = state
        let message = endpoint.redactor.redact(failure.message)
        let poll = EndpointState.LastPoll(
            at: start, duration: failure.timing.total, status: failure.status, failure: message)
        after.lastPoll = poll
        let decision = after.alert.noteFailure(at: start, endpoint.configuration.alert)
        if decision == .failing {
            reporter.report(
                .failing(
                    endpoint, failure, failures: after.alert.consecutiveFailures, event: newEvent())
            )
        }
        let result = PollResult(outcome: .failed(failure.kind), state: after)
        return await finish(endpoint, result, poll, failure.attempts)
    }

    private func finish(
        _ endpoint: WatchedEndpoint, _ result: PollResult, _ poll: EndpointState.LastPoll,
        _ attempts: Int
    ) async -> PollResult {
        let noted = NotedPoll(
            name: endpoint.name, at: poll.at, duration: poll.duration,
            isFailure: poll.failure != nil, state: result.state)
        await store.note(noted)
        if isVerbose {
            let outcome = poll.failure ?? result.outcome.text
            reporter.report(.polled(endpoint, outcome: outcome, poll: poll, attempts: attempts))
        }
        return result
    }

    private func reportStoreTrouble(_ error: any Error) {
        guard storeHealth.noteFailure() else { return }
        reporter.report(.storeTrouble(String(describing: error)))
    }
}
