// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardStore

/// `pollard status`: how each endpoint is, from the store, with or without a daemon running.
struct StatusCommand {
    let names: [String]
    let paths: DaemonPaths
    let isJSON: Bool
    let now: Timestamp

    /// Writes the table, or an object for each endpoint.
    ///
    /// - Throws: `CommandFailure` if a name names no endpoint, or the store can't be read.
    func run(_ output: CommandOutput) throws(CommandFailure) {
        let configuration = Configuration.readable(from: paths.configuration, remarks: output)
        let path = paths.store(configuration ?? Configuration())
        let reader = try reading { () throws(StoreError) in try StoreReader(path: path) }
        let statuses = try self.statuses(of: configuration, reader)
        if let remark = remark(on: statuses, reader) { output.remark(remark) }
        if isJSON {
            for status in statuses { try output.write(line: try json(status)) }
            return
        }
        let table = TextTable(
            header: EndpointStatus.header, rows: statuses.map { $0.row(now: now) })
        try output.write(line: table.text(isColoured: output.isColoured))
    }

    private func json(_ status: EndpointStatus) throws(CommandFailure) -> String {
        do {
            return try EndpointStatusJSON(status).line()
        } catch {
            throw CommandFailure(.inputOutput, "cannot write JSON: \(error)")
        }
    }

    /// How the endpoints of the configuration are, or without one those of the store.
    private func statuses(
        of configuration: Configuration?, _ reader: StoreReader
    ) throws(CommandFailure) -> [EndpointStatus] {
        let day = now.advanced(by: .zero - Housekeeping.changesWindow)
        let (states, statistics) = try reading { () throws(StoreError) in
            (try reader.states(), try reader.statistics(since: day))
        }
        var known = configuration ?? Configuration()
        if configuration == nil {
            known.endpoints = states.keys.sorted().map(EndpointConfiguration.init(unconfigured:))
        }
        return try known.endpoints(named: names).map { endpoint in
            var status = EndpointStatus(
                endpoint, state: states[endpoint.name], statistics: statistics[endpoint.name],
                now: now)
            if configuration == nil { status.forgetSchedule() }
            return status
        }
    }

    /// What to know before trusting what is shown: polls that should be there are not.
    private func remark(on statuses: [EndpointStatus], _ reader: StoreReader) -> String? {
        let overdue = statuses.count(where: \.isOverdue)
        guard overdue > 0 else { return nil }
        guard reader.isInUse != false else {
            return "note: no daemon runs on this store: these were its last polls"
        }
        return """
            note: the store has no recent poll of \(overdue.counted("endpoint")): \
            'journalctl -u pollard -p warning' says why
            """
    }
}
