// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore
internal import PollardHTTP
internal import PollardSystemd

/// Puts a changed configuration in force without a restart; a bad one changes nothing.
struct Reloader: Sendable {
    let source: ConfigurationSource
    let loop: PollLoop
    let changes: ChangeRecorder
    let fetcher: HTTPFetcher
    let transport: CurlTransport
    /// The path of the store, which can't change while the daemon runs.
    let fixedStore: String
    let board: StatusBoard
    let reporter: any Reporting
    let record: ReloadRecord

    /// Reads the configuration again.
    ///
    /// `RELOADING=1` was sent when the signal came; the caller sends `READY=1` afterwards.
    func reload() async {
        do throws(ConfigurationError) {
            let (configuration, store) = try source.load()
            let endpoints = configuration.endpoints.map(WatchedEndpoint.init)
            let states = await storedStates()
            // In force before the first poll of an endpoint that is new.
            transport.update(CurlTransport.Limits(for: configuration))
            fetcher.keep(KeptConnections(for: configuration.endpoints))
            let difference = loop.apply(endpoints, states: states)
            warnIfStoreDiffers(store)
            board.clearRejection()
            reporter.report(.reloaded(difference, endpoints: loop.figures().endpoints))
            writeRecord(.accepted)
        } catch {
            let lines = error.diagnostics.map(\.description)
            for line in lines { reporter.report(.configurationRejected(line)) }
            board.noteRejection(lines.first ?? "\(error)")
            writeRecord(.rejected(lines))
        }
    }

    /// What is known of endpoints that come back; nothing, if the store can't say.
    private func storedStates() async -> [EndpointName: EndpointState] {
        do {
            return try await changes.states()
        } catch {
            changes.noteFailure(of: .states, error)
            return [:]
        }
    }

    private func warnIfStoreDiffers(_ wanted: String) {
        guard wanted != fixedStore else { return }
        reporter.report(
            .configurationWarning(
                "the store stays \(fixedStore) until the next start, not \(wanted)"))
    }

    private func writeRecord(_ outcome: ReloadRecord.Outcome) {
        do {
            try record.append(outcome)
        } catch {
            reporter.report(.configurationWarning("'pollard reload' can't be told: \(error)"))
        }
    }
}
