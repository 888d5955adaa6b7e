// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore
internal import PollardSystemd

/// Puts a changed configuration in force without a restart; a bad one changes nothing.
struct Reloader: Sendable {
    let source: ConfigurationSource
    let loop: PollLoop
    let changes: ChangeRecorder
    /// What can't change while the daemon runs.
    let fixed: Fixed
    let board: StatusBoard
    let reporter: any Reporting
    let record: ReloadRecord

    /// Settings that are taken over at a start only.
    struct Fixed: Sendable, Equatable {
        var store: String
        var limits: Configuration.Limits
    }

    /// Reads the configuration again.
    ///
    /// `RELOADING=1` was sent when the signal came; the caller sends `READY=1` afterwards.
    func reload() async {
        do throws(ConfigurationError) {
            let (configuration, store) = try source.load()
            let endpoints = configuration.endpoints.map(WatchedEndpoint.init)
            let difference = loop.apply(endpoints, states: await storedStates())
            warn(about: Fixed(store: store, limits: configuration.limits))
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
            changes.noteShared(error)
            return [:]
        }
    }

    private func warn(about wanted: Fixed) {
        if wanted.store != fixed.store {
            reporter.report(
                .configurationWarning(
                    "the store stays \(fixed.store) until the next start, not \(wanted.store)"))
        }
        if wanted.limits != fixed.limits {
            reporter.report(
                .configurationWarning("'limits' stay as they were until the next start"))
        }
    }

    private func writeRecord(_ outcome: ReloadRecord.Outcome) {
        do {
            try record.append(outcome)
        } catch {
            reporter.report(.configurationWarning("'pollard reload' can't be told: \(error)"))
        }
    }
}
