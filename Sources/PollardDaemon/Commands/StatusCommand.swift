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
    /// - Throws: `CommandFailure` if the configuration or the store can't be read.
    func run(_ output: CommandOutput) throws(CommandFailure) {
        let configuration = try Configuration.loaded(
            from: paths.configuration, secrets: UnreadSecrets())
        let statuses = try self.statuses(
            of: try configuration.endpoints(named: names), store: paths.store(configuration))
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

    private func statuses(
        of endpoints: [EndpointConfiguration], store path: String
    ) throws(CommandFailure) -> [EndpointStatus] {
        do throws(StoreError) {
            let reader = try StoreReader(path: path)
            let states = try reader.states()
            let day = now.advanced(by: .zero - Housekeeping.changesWindow)
            let statistics = try reader.statistics(since: day)
            return endpoints.map {
                EndpointStatus(
                    $0, state: states[$0.name], statistics: statistics[$0.name], now: now)
            }
        } catch {
            throw CommandFailure(error)
        }
    }
}
