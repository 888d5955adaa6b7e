// SPDX-License-Identifier: Apache-2.0

internal import PollardConfig
internal import PollardCore
internal import PollardStore
internal import PollardSystemd

/// `pollard run`: from the command line to a running daemon, or to a failure that is told both to
/// the service manager and in the log.
struct RunCommand {
    let options: Invocation.Options
    let environment: [String: String]

    /// Runs until a signal stops it.
    func run() async throws(CommandFailure) {
        let notifier = ServiceNotifier()
        let format = options.log.flatMap(LogFormat.init(rawValue:)) ?? .automatic()
        let paths = DaemonPaths(options, environment: environment)
        do throws(CommandFailure) {
            let source = ConfigurationSource(
                paths: paths, reporter: Self.reporter(format, paths))
            let (configuration, storePath) = try load(source, format)
            let (store, states) = try await notifier.grantingTime(
                upTo: MoreTime.longestStart, source.reporter
            ) { () async throws(CommandFailure) in
                try await open(storePath, source, format)
            }
            let daemon = try Daemon(
                configuration: configuration, source: source, store: store, states: states,
                storePath: storePath, notifier: notifier, isVerbose: options.isVerbose,
                record: ReloadRecord(directory: paths.runtimeDirectory))
            try await daemon.run()
        } catch {
            tell(notifier, error)
            throw error
        }
    }

    /// What reports in the chosen form, and then hands events to other units if there is a place.
    private static func reporter(_ format: LogFormat, _ paths: DaemonPaths) -> any Reporting {
        let log = format.reporter()
        guard let directory = paths.runtimeDirectory else { return log }
        return Reporters([log, EventFiles(runtimeDirectory: directory, log: log)])
    }

    /// Loads the configuration; each error is an event of its own, unless people read lines.
    private func load(
        _ source: ConfigurationSource, _ format: LogFormat
    ) throws(CommandFailure) -> (configuration: Configuration, store: String) {
        do throws(ConfigurationError) {
            return try source.load()
        } catch {
            var failure = CommandFailure(error)
            if format != .text {
                for diagnostic in error.diagnostics {
                    source.reporter.report(.configurationRejected("\(diagnostic)"))
                }
                failure.isReported = true
            }
            throw failure
        }
    }

    /// Opens the store; that it can't be used is an event, unless people read lines.
    private func open(
        _ path: String, _ source: ConfigurationSource, _ format: LogFormat
    ) async throws(CommandFailure) -> (SQLiteStore, [EndpointName: EndpointState]) {
        do throws(StoreError) {
            let store = try SQLiteStore(path: path)
            return (store, try await store.states())
        } catch {
            var failure = CommandFailure(error)
            if error.needsAnotherFile { failure.status = .unusableStore }
            if format != .text {
                source.reporter.report(.storeUnusable("\(error)"))
                failure.isReported = true
            }
            throw failure
        }
    }

    private func tell(_ notifier: ServiceNotifier, _ failure: CommandFailure) {
        do throws(SystemdError) {
            try notifier.failing(
                status: failure.headline, exitStatus: failure.status.rawValue,
                errno: failure.systemError)
        } catch {
            // The exit status says it too; there is nobody else to tell.
        }
    }
}
