// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore
internal import PollardStore

/// `pollard status`: how each endpoint is, from the store, with or without a daemon running.
struct StatusCommand {
    let names: [String]
    let paths: DaemonPaths
    let isJSON: Bool
    let isColoured: Bool
    let now: Timestamp

    /// The text for standard output.
    ///
    /// - Throws: `CommandFailure` if the configuration or the store can't be read.
    func run() throws(CommandFailure) -> String {
        let configuration: Configuration
        do throws(ConfigurationError) {
            let loader = ConfigurationLoader(secrets: UnreadSecrets())
            configuration = try loader.load(path: paths.configuration)
        } catch {
            throw CommandFailure(error)
        }
        let statuses = try self.statuses(
            of: try configuration.endpoints(named: names), store: paths.store(configuration))
        if isJSON {
            do {
                return try statuses.map { try EndpointStatusJSON($0).line() }
                    .joined(separator: "\n")
            } catch {
                throw CommandFailure(.inputOutput, "cannot write JSON: \(error)")
            }
        }
        let table = TextTable(
            header: EndpointStatus.header, rows: statuses.map { $0.row(now: now) })
        return table.text(isColoured: isColoured)
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

/// Stands in for secrets where none is needed: commands that read the store send nothing.
private struct UnreadSecrets: SecretSource {
    func secret(for reference: SecretReference) throws(SecretError) -> Secret {
        Secret(Secret.placeholder)
    }
}
