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

    /// Polls begin much later than they are due.
    package static func late(_ report: LatenessWatch.Report) -> EventEntry {
        let worst = report.worst.humane
        let polls =
            report.polls == 1
            ? "a poll began \(worst) after it was due"
            : "\(report.polls.grouped) polls began up to \(worst) after they were due"
        return EventEntry(
            id: .late, priority: .warning,
            message: """
                late: \(polls); the process was stopped, or the machine has too much to do
                """,
            fields: [
                Field("POLLARD_KIND", MessageID.late.kind),
                Field("POLLARD_LATE_POLLS", String(report.polls)),
                Field("POLLARD_LATE_USEC", String(report.worst.wholeMicroseconds)),
            ])
    }

    /// Most hosts give no sign of life.
    ///
    /// - Parameters:
    ///   - trouble: How many, and for how long.
    ///   - kind: How the last one failed.
    ///   - cause: Its message, without secrets.
    /// - Returns: The entry, ready to be reported.
    package static func networkTrouble(
        _ trouble: NetworkState.Trouble, kind: PollFailure.Kind, cause: String
    ) -> EventEntry {
        let time = trouble.lasted.map { " for \($0.humane)" } ?? ""
        var entry = EventEntry(
            id: .networkTrouble, priority: .err,
            message: """
                network trouble\(time): \(trouble.counted) give no answer any more; their failed \
                polls do not count until one of them answers: \(cause)
                """)
        entry.fields = Field.network(trouble, id: entry.id)
        entry.fields += [Field("POLLARD_FAILURE", kind.rawValue), Field("POLLARD_ERROR", cause)]
        return entry
    }

    /// A host answers again that gave no answer.
    package static func networkRecovered(after outage: Duration) -> EventEntry {
        EventEntry(
            id: .networkRecovered, priority: .notice,
            message: "network recovered after \(outage.humane); failed polls count again",
            fields: [
                Field("POLLARD_KIND", MessageID.networkRecovered.kind),
                Field("POLLARD_OUTAGE_USEC", String(outage.wholeMicroseconds)),
            ])
    }

    /// Too few hosts are without an answer to speak of the network.
    package static func networkUnclear(_ trouble: NetworkState.Trouble) -> EventEntry {
        let time = trouble.lasted.map { " after \($0.humane)" } ?? ""
        return EventEntry(
            id: .networkUnclear, priority: .notice,
            message: """
                network trouble is no longer judged\(time): too few hosts give no answer, \
                \(trouble.counted); failed polls count again
                """,
            fields: Field.network(trouble, id: .networkUnclear))
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

extension NetworkState.Trouble {
    /// As in `3 of 5 hosts`.
    fileprivate var counted: String { "\(silent.grouped) of \(hosts.counted("host"))" }
}
