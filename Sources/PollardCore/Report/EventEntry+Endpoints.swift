// SPDX-License-Identifier: Apache-2.0

/// Events that concern one endpoint.
extension EventEntry {
    /// A change or first snapshot, as stored.
    ///
    /// - Parameters:
    ///   - change: What was stored.
    ///   - endpoint: Its configuration, if it is still configured.
    /// - Returns: The entry, ready to be reported.
    package static func change(_ change: StoredChange, of endpoint: WatchedEndpoint?) -> EventEntry
    {
        let summary = endpoint?.redactor.redact(change.summary) ?? change.summary
        var entry =
            switch change.kind {
            case .first:
                EventEntry(
                    id: .firstSnapshot, priority: .info, message: "\(change.name): first snapshot")
            case .changed:
                EventEntry(
                    id: .changed, priority: endpoint?.configuration.priority ?? .notice,
                    message: "\(change.name): changed: \(summary.counts)")
            }
        entry.message = summary.text(below: entry.message)
        entry.fields = Field.endpoint(change.name, endpoint, id: entry.id)
        entry.fields.append(Field("POLLARD_EVENT", change.event))
        entry.fields.append(Field("POLLARD_CHANGE", String(change.id)))
        entry.fields += Field.poll(status: change.poll?.status, duration: change.poll?.duration)
        if let attempts = change.poll?.attempts {
            entry.fields.append(Field("POLLARD_ATTEMPTS", String(attempts)))
        }
        entry.fields.append(Field("POLLARD_SNAPSHOT", change.snapshot.digest.description))
        if let previous = change.previousDigest {
            entry.fields.append(Field("POLLARD_PREVIOUS", previous.description))
        }
        if change.kind == .changed { entry.fields += summary.fields }
        return entry
    }

    /// An endpoint has crossed its alert threshold.
    package static func failing(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, failures: Int, event: String
    ) -> EventEntry {
        let cause = endpoint.redactor.redact(failure.message)
        let counted =
            if let within = endpoint.configuration.alert.within, failures < within {
                " (\(failures.grouped) of the last \(within.counted("poll")))"
            } else {
                failures > 1 ? " (\(failures.grouped) polls in a row)" : ""
            }
        var entry = EventEntry(
            id: .failing, priority: .err, message: "\(endpoint.name): failing: \(cause)\(counted)")
        entry.fields = Field.failure(
            endpoint, failure, cause: cause, failures: failures, id: entry.id, event: event)
        return entry
    }

    /// An endpoint is failing as it was when that was last told; only with `alert.remind`.
    package static func stillFailing(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, outage: Duration, failures: Int,
        event: String
    ) -> EventEntry {
        let cause = endpoint.redactor.redact(failure.message)
        var entry = EventEntry(
            id: .stillFailing, priority: .warning,
            message: """
                \(endpoint.name): still failing for \(outage.humane): \(cause) \
                (\(failures.counted("failed poll")))
                """)
        entry.fields = Field.failure(
            endpoint, failure, cause: cause, failures: failures, id: entry.id, event: event)
        entry.fields.append(Field("POLLARD_OUTAGE_USEC", String(outage.wholeMicroseconds)))
        return entry
    }

    /// A failing endpoint works again.
    package static func recovered(
        _ endpoint: WatchedEndpoint, _ answer: Answer, outage: Duration, failures: Int,
        event: String
    ) -> EventEntry {
        var entry = EventEntry(
            id: .recovered, priority: .notice,
            message: """
                \(endpoint.name): recovered after \(outage.humane) \
                (\(failures.counted("failed poll")))
                """)
        entry.fields = Field.endpoint(endpoint.name, endpoint, id: entry.id)
        entry.fields.append(Field("POLLARD_EVENT", event))
        entry.fields += Field.poll(status: answer.status, duration: answer.timing.total)
        entry.fields += [
            Field("POLLARD_ATTEMPTS", String(answer.attempts)),
            Field("POLLARD_FAILURES", String(failures)),
            Field("POLLARD_OUTAGE_USEC", String(outage.wholeMicroseconds)),
        ]
        return entry
    }

    /// One poll, at debug level.
    ///
    /// - Parameters:
    ///   - endpoint: What was polled.
    ///   - result: What came of it.
    ///   - late: How much later than planned it began.
    /// - Returns: The entry; nil for a poll that counts for nothing.
    package static func polled(
        _ endpoint: WatchedEndpoint, _ result: PollResult, late: Duration
    ) -> EventEntry? {
        guard result.outcome != .cancelled, let poll = result.state.lastPoll else { return nil }
        let status = poll.status.map { "\($0) in " } ?? ""
        let outcome = poll.failure ?? result.outcome.text
        var entry = EventEntry(
            id: .polled, priority: .debug,
            message: "\(endpoint.name): \(status)\(poll.duration.humane): \(outcome)")
        entry.fields = Field.endpoint(endpoint.name, endpoint, id: entry.id)
        entry.fields += Field.poll(status: poll.status, duration: poll.duration)
        entry.fields += [
            Field("POLLARD_ATTEMPTS", String(result.attempts)),
            Field("POLLARD_LATE_USEC", String(late.wholeMicroseconds)),
        ]
        if case .failed(let kind) = result.outcome {
            entry.fields.append(Field("POLLARD_FAILURE", kind.rawValue))
        }
        return entry
    }

    /// An endpoint's polls take longer than its interval; a wait for `limits` counts.
    package static func overrunning(_ endpoint: WatchedEndpoint, skipped: Int) -> EventEntry {
        let polls =
            skipped == 1
            ? "a poll was left out since the one before"
            : "\(skipped.grouped) polls were left out since one before"
        var entry = EventEntry(
            id: .overrunning, priority: .warning,
            message: """
                \(endpoint.name): overrunning: \(polls) took longer than the interval of \
                \(endpoint.configuration.interval.humane), or waited for its turn (see 'limits')
                """)
        entry.fields = Field.endpoint(endpoint.name, endpoint, id: entry.id)
        entry.fields.append(Field("POLLARD_SKIPPED", String(skipped)))
        return entry
    }

    /// The certificate of an endpoint's server has less life left than is wanted.
    ///
    /// - Parameters:
    ///   - endpoint: What was polled.
    ///   - expiry: When the certificate expires.
    ///   - left: The time until then; negative if it has passed.
    ///   - event: Identifies the event.
    /// - Returns: The entry, ready to be reported.
    package static func certificateExpiring(
        _ endpoint: WatchedEndpoint, expiry: Timestamp, left: Duration, event: String
    ) -> EventEntry {
        let time = expiry.rfc3339(.seconds)
        let when =
            left > .zero
            ? "certificate expires in \(left.humane), at \(time)" : "certificate expired at \(time)"
        var entry = EventEntry(
            id: .certificateExpiring, priority: .warning,
            message: "\(endpoint.name): \(when); renew it on the server")
        entry.fields = Field.endpoint(endpoint.name, endpoint, id: entry.id)
        entry.fields += [
            Field("POLLARD_EVENT", event), Field("POLLARD_CERTIFICATE_EXPIRY", time),
        ]
        return entry
    }
}
