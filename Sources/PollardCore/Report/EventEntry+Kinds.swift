// SPDX-License-Identifier: Apache-2.0

extension EventEntry {
    /// What the process is, for the events that concern no endpoint.
    package struct Process: Sendable {
        /// The version of Pollard.
        package var version: String
        /// How many endpoints are polled.
        package var endpoints: Int

        package init(version: String, endpoints: Int) {
            self.version = version
            self.endpoints = endpoints
        }
    }

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
        entry.message = ([entry.message] + summary.details).joined(separator: "\n")
        entry.fields = Field.endpoint(change.name, endpoint, id: entry.id)
        entry.fields.append(Field("POLLARD_EVENT", change.event))
        entry.fields.append(Field("POLLARD_CHANGE", String(change.id)))
        entry.fields += Field.poll(status: change.poll?.status, duration: change.poll?.duration)
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
        let counted = failures > 1 ? " (\(failures.grouped) polls in a row)" : ""
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
        _ endpoint: WatchedEndpoint, outage: Duration, failures: Int, event: String
    ) -> EventEntry {
        var entry = EventEntry(
            id: .recovered, priority: .notice,
            message: """
                \(endpoint.name): recovered after \(outage.humane) \
                (\(failures.counted("failed poll")))
                """)
        entry.fields = Field.endpoint(endpoint.name, endpoint, id: entry.id)
        entry.fields += [
            Field("POLLARD_EVENT", event),
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
        return entry
    }

    /// An endpoint's polls take longer than its interval.
    package static func overrunning(_ endpoint: WatchedEndpoint, skipped: Int) -> EventEntry {
        let polls =
            skipped == 1
            ? "a poll was left out since the one before"
            : "\(skipped.grouped) polls were left out since those before"
        var entry = EventEntry(
            id: .overrunning, priority: .warning,
            message: """
                \(endpoint.name): overrunning: \(polls) took longer than the interval of \
                \(endpoint.configuration.interval.humane)
                """)
        entry.fields = Field.endpoint(endpoint.name, endpoint, id: entry.id)
        entry.fields.append(Field("POLLARD_SKIPPED", String(skipped)))
        return entry
    }

    /// The daemon is ready.
    package static func started(_ process: Process, store: String) -> EventEntry {
        EventEntry(
            id: .started, priority: .info,
            message: """
                started: pollard \(process.version) polls \(process.endpoints.counted("endpoint")), \
                store \(store)
                """,
            fields: [Field("POLLARD_KIND", MessageID.started.kind)])
    }

    /// The daemon has been told to stop.
    package static func stopping(signal: String, inFlight: Int) -> EventEntry {
        let polls = inFlight == 0 ? "" : "; waiting for \(inFlight.counted("poll")) in flight"
        return EventEntry(
            id: .stopping, priority: .info, message: "stopping: got \(signal)\(polls)",
            fields: [Field("POLLARD_KIND", MessageID.stopping.kind)])
    }

    /// A new configuration is in force.
    package static func reloaded(_ difference: ReloadDifference, endpoints: Int) -> EventEntry {
        EventEntry(
            id: .reloaded, priority: .info,
            message: "reloaded: \(endpoints.counted("endpoint")), \(difference.text)",
            fields: [
                Field("POLLARD_KIND", MessageID.reloaded.kind),
                Field("POLLARD_ADDED", String(difference.added)),
                Field("POLLARD_REMOVED", String(difference.removed.count)),
                Field("POLLARD_UPDATED", String(difference.changed)),
            ])
    }

    /// One error of a configuration that can't be used.
    package static func configurationRejected(_ diagnostic: String) -> EventEntry {
        EventEntry(
            id: .configurationRejected, priority: .err,
            message: "configuration rejected: \(diagnostic)",
            fields: [
                Field("POLLARD_KIND", MessageID.configurationRejected.kind),
                Field("POLLARD_ERROR", diagnostic),
            ])
    }

    /// Something in the configuration that is allowed but probably not meant.
    package static func configurationWarning(_ diagnostic: String) -> EventEntry {
        EventEntry(
            id: .configurationWarning, priority: .warning, message: diagnostic,
            fields: [Field("POLLARD_KIND", MessageID.configurationWarning.kind)])
    }

    /// The service manager can't be told of the daemon's state.
    package static func notifyTrouble(_ cause: String) -> EventEntry {
        EventEntry(
            id: .notifyTrouble, priority: .warning, message: "\(cause); continuing",
            fields: [Field("POLLARD_KIND", MessageID.notifyTrouble.kind)])
    }

    /// Events can't be handed to other units; they are reported all the same.
    package static func eventFileTrouble(_ cause: String) -> EventEntry {
        EventEntry(
            id: .eventFileTrouble, priority: .warning, message: "\(cause); continuing",
            fields: [
                Field("POLLARD_KIND", MessageID.eventFileTrouble.kind),
                Field("POLLARD_ERROR", cause),
            ])
    }
}

extension EventEntry.Field {
    fileprivate static func endpoint(
        _ name: EndpointName, _ endpoint: WatchedEndpoint?, id: MessageID
    ) -> [Self] {
        var fields = [Self("POLLARD_KIND", id.kind), Self("POLLARD_ENDPOINT", name.rawValue)]
        guard let endpoint else { return fields }
        fields.append(Self("POLLARD_URL", endpoint.displayURL))
        fields.append(Self("POLLARD_METHOD", endpoint.configuration.request.method))
        for label in endpoint.configuration.labels {
            fields.append(Self("POLLARD_LABEL_\(label.name.uppercased())", label.value))
        }
        return fields
    }

    fileprivate static func failure(
        _ endpoint: WatchedEndpoint, _ failure: PollFailure, cause: String, failures: Int,
        id: MessageID, event: String
    ) -> [Self] {
        Self.endpoint(endpoint.name, endpoint, id: id)
            + [Self("POLLARD_EVENT", event)]
            + poll(status: failure.status, duration: failure.timing.total)
            + [
                Self("POLLARD_ATTEMPTS", String(failure.attempts)),
                Self("POLLARD_FAILURE", failure.kind.rawValue),
                Self("POLLARD_ERROR", cause),
                Self("POLLARD_FAILURES", String(failures)),
            ]
    }

    fileprivate static func poll(status: Int?, duration: Duration?) -> [Self] {
        var fields: [Self] = []
        if let status { fields.append(Self("POLLARD_STATUS", String(status))) }
        if let duration {
            fields.append(Self("POLLARD_DURATION_USEC", String(duration.wholeMicroseconds)))
        }
        return fields
    }
}

extension ChangeSummary {
    /// The counts as a text, as in `1 added, 2 updated`.
    package var counts: String {
        let parts = [
            (added, "added"), (removed, "removed"), (updated, "updated"), (moved, "moved"),
        ]
        .filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        return parts.isEmpty ? "nothing that is counted" : parts.joined(separator: ", ")
    }

    /// The lines below the headline: differences, how many there are beyond, remarks.
    package var details: [String] {
        let further = furtherLines > 0 ? ["... and \(furtherLines.grouped) more"] : []
        return lines + further + remarks.map { "note: \($0)" }
    }

    fileprivate var fields: [EventEntry.Field] {
        var fields: [EventEntry.Field] = [
            .init("POLLARD_ADDED", String(added)), .init("POLLARD_REMOVED", String(removed)),
            .init("POLLARD_UPDATED", String(updated)), .init("POLLARD_MOVED", String(moved)),
        ]
        if let patch { fields.append(.init("POLLARD_PATCH", patch)) }
        if isPatchTruncated { fields.append(.init("POLLARD_PATCH_TRUNCATED", "1")) }
        return fields
    }
}
