// SPDX-License-Identifier: Apache-2.0

/// One poll from its request to its report.
///
/// Fetch, then compare with the last snapshot, then store, then report. Whatever fails before there
/// is a change leaves the snapshot and its validators as they were, so that the next poll sees the
/// same again; a change that can't be stored is kept by `ChangeRecorder` until it can be.
package struct PollPipeline: Sendable {
    package var fetcher: any Fetching
    /// Stores what is new, and reports it.
    package var changes: ChangeRecorder
    package var reporter: any Reporting
    /// Told of polls that got no answer, to tell trouble of the network from that of hosts.
    package var networkHealth = NetworkHealth()
    /// The wall clock.
    package var now: @Sendable () -> Timestamp
    /// Chooses the id of a new event: 32 hexadecimal digits.
    package var newEvent: @Sendable () -> String

    package init(
        fetcher: any Fetching, changes: ChangeRecorder, reporter: any Reporting,
        now: @escaping @Sendable () -> Timestamp, newEvent: @escaping @Sendable () -> String
    ) {
        self.fetcher = fetcher
        self.changes = changes
        self.reporter = reporter
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
            var answer = try await fetch(endpoint, state)
            let finding = try await compare(&answer, endpoint, state)
            return await succeed(endpoint, answer, finding, start, state)
        } catch {
            guard !Task.isCancelled, !error.isCancelled else {
                return PollResult(outcome: .cancelled, state: state)
            }
            return fail(endpoint, error, start, state)
        }
    }

    // MARK: - Fetch

    private func fetch(
        _ endpoint: WatchedEndpoint, _ state: EndpointState
    ) async throws(PollFailure) -> Answer {
        let validators = endpoint.validatorsToSend(state)
        var answer = try await fetcher.fetch(endpoint.configuration, validators: validators)
        answer.validators = endpoint.redactor.redact(answer.validators)
        switch answer.status {
        case 200..<300: return answer
        case 304 where !validators.isEmpty: return answer
        default: throw PollFailure(unexpected: answer)
        }
    }

    // MARK: - Compare

    private func compare(
        _ answer: inout Answer, _ endpoint: WatchedEndpoint, _ state: EndpointState
    ) async throws(PollFailure) -> Finding {
        guard answer.status != 304 else { return .unchanged }
        var digest = changes.digest(of: answer.body)
        if digest == state.snapshot?.digest { return .unchanged }
        let received = answer.body
        let content = try endpoint.content(redacting: &answer)
        if answer.body != received {
            digest = changes.digest(of: answer.body)
            if digest == state.snapshot?.digest { return .unchanged }
        }
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
        guard let body = try await changes.body(snapshot.digest, of: endpoint.name) else {
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
            changes.noteUpToDate(endpoint.name)
            outcome = .unchanged
        case .first(let digest), .changed(let digest, _):
            outcome = await commit(endpoint, answer, finding, digest, &after)
        case .incomparable(let error):
            changes.noteUncompared(endpoint.name, error)
            outcome = .notStored
        }
        let result = PollResult(outcome: outcome, state: after, attempts: answer.attempts)
        note(result, poll, of: endpoint)
        return result
    }

    /// Hands a new snapshot on to be stored and reported.
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
        switch await changes.record(change, of: endpoint, after: state) {
        case .stored(let snapshot):
            state = change.state
            state.snapshot = snapshot
            return change.kind == .first ? .first : .changed
        case .kept(let snapshot):
            state = change.state
            state.snapshot = snapshot
            return .kept
        case .refused: return .notStored
        }
    }

    private func fail(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, _ start: Timestamp,
        _ state: EndpointState
    ) -> PollResult {
        var after = state
        let message = endpoint.redactor.redact(failure.message)
        let poll = EndpointState.LastPoll(
            at: start, duration: failure.timing.total, status: failure.status, failure: message,
            attempts: failure.attempts)
        after.lastPoll = poll
        warnOfCertificate(failure.certificateExpiry, endpoint, start, &after)
        if counts(failure, of: endpoint, after: state, start) {
            alert(endpoint, failure, start, &after)
        }
        let result = PollResult(
            outcome: .failed(failure.kind), state: after, attempts: failure.attempts)
        note(result, poll, of: endpoint)
        return result
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
    ) {
        changes.note(
            NotedPoll(
                name: endpoint.name, at: poll.at, duration: poll.duration,
                isFailure: poll.failure != nil, state: result.state))
    }

    /// Gives up what is kept for an endpoint that is no longer polled; what it changed and is not
    /// stored yet is stored and told all the same.
    package func forget(_ name: EndpointName) {
        fetcher.forget(name)
        changes.forget(name)
    }
}
