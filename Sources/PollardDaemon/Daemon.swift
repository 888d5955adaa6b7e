// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP
internal import PollardStore
internal import PollardSystemd

/// The composition root: everything that runs is put together here.
struct Daemon: Sendable {
    private let loop: PollLoop
    private let housekeeping: Housekeeping
    private let reloader: Reloader
    private let store: SQLiteStore
    private let changes: ChangeRecorder
    private let transport: CurlTransport
    private let reporter: any Reporting
    private let notifier: ServiceNotifier
    private let endpoints: [EndpointName: WatchedEndpoint]
    private let outputs = [LineOutput.standardOutput, LineOutput.standardError]

    /// Puts the parts together; nothing runs before `run()`.
    ///
    /// - Throws: `CommandFailure` if the HTTP transport can't be started.
    init(
        configuration: Configuration, source: ConfigurationSource, store: SQLiteStore,
        states: [EndpointName: EndpointState], storePath: String, notifier: ServiceNotifier,
        isVerbose: Bool, record: ReloadRecord
    ) throws(CommandFailure) {
        reporter = source.reporter
        let endpoints = configuration.endpoints.map(WatchedEndpoint.init)
        let transport = try CurlTransport(for: configuration)
        let fetcher = HTTPFetcher(
            transport: transport, keptConnections: KeptConnections(for: configuration.endpoints))
        let now: @Sendable () -> Timestamp = { Timestamp.now() }
        let board = StatusBoard()
        changes = ChangeRecorder(store: store, reporter: reporter)
        let pipeline = PollPipeline(
            fetcher: fetcher, changes: changes, reporter: reporter, now: now,
            newEvent: { EventID.random() })
        loop = PollLoop(
            endpoints: endpoints, states: states, pipeline: pipeline, isVerbose: isVerbose)
        housekeeping = Housekeeping(
            loop: loop, store: store, reporter: reporter, changes: changes, board: board,
            notifier: notifier, watchdog: notifier.watchdog(loop, transport, store, reporter),
            now: now)
        reloader = Reloader(
            source: source, loop: loop, changes: changes, fetcher: fetcher, transport: transport,
            fixedStore: storePath, board: board, reporter: reporter, record: record)
        self.store = store
        self.transport = transport
        self.notifier = notifier
        self.endpoints = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.name, $0) })
    }

    /// Reports what the last run stored and did not report, polls until a signal, then stops in
    /// good order.
    ///
    /// - Throws: `CommandFailure` if changes or the last notes could not be stored.
    func run() async throws(CommandFailure) {
        let signals = SignalSequence { [notifier, reporter] signal in
            // Before anything else, or 'systemctl reload' may return too early.
            guard signal == .hangUp else { return }
            reporter.reportingTrouble { try notifier.reloading() }
        }
        await notifier.grantingTime(upTo: MoreTime.longestStart, reporter) {
            // Told first: a crash between storing and reporting left it.
            await changes.reportLeftOver(of: endpoints)
        }
        await withTaskGroup { group in
            group.addTask { await loop.run() }
            group.addTask { await housekeeping.run() }
            group.addTask { await changes.run(with: endpoints) }
            await announceStart()
            await serve(signals)
            loop.stop()
            transport.endWaiting()
            // The loop ends once polls in flight have ended; then there is nothing to keep house
            // for. A second signal ends them at once.
            group.addTask { await waitForStop(signals) }
            await group.next()
            group.cancelAll()
        }
        transport.close()
        try await closeStore()
    }

    private func announceStart() async {
        let process = EventEntry.Process(version: version, endpoints: loop.figures().endpoints)
        reporter.report(.started(process, store: reloader.fixedStore))
        reporter.reportingTrouble { try reloader.record.begin() }
        let status = await housekeeping.statusLine()
        reporter.reportingTrouble { try notifier.ready(status: status) }
    }

    /// Reloads at each SIGHUP; returns at the first signal that means to stop.
    ///
    /// SIGHUP does, too, when the terminal is gone, where nobody could end it any more.
    private func serve(_ signals: SignalSequence) async {
        for await signal in signals.signals {
            guard signal == .hangUp, !outputs.contains(where: \.hasHungUp) else {
                reporter.reportingTrouble { try notifier.stopping() }
                reporter.report(.stopping(signal: signal.name, inFlight: loop.inFlight))
                return
            }
            await reloader.reload()
            let status = await housekeeping.statusLine()
            reporter.reportingTrouble { try notifier.ready(status: status) }
        }
    }

    private func waitForStop(_ signals: SignalSequence) async {
        for await signal in signals.signals where signal != .hangUp { return }
    }

    private func closeStore() async throws(CommandFailure) {
        var failure: CommandFailure
        do throws(StoreError) {
            let lost = try await notifier.grantingTime(upTo: MoreTime.longestStop, reporter) {
                () async throws(StoreError) in
                let lost = await changes.finish()
                try await store.close()
                return lost
            }
            guard lost > 0 else { return }
            failure = CommandFailure(
                .inputOutput, "\(lost.counted("change")) could not be stored before the end")
        } catch {
            reporter.report(.storeUnusable("\(error)"))
            failure = CommandFailure(error)
        }
        failure.isReported = true
        throw failure
    }
}
