// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardStore
internal import PollardSystemd

/// What the daemon does beside polling: each second it writes what was noted and keeps the status
/// line true; and it tells the service manager that it is alive.
struct Housekeeping: Sendable {
    /// How often noted polls are written and the figures looked at.
    static let period: Duration = .seconds(1)
    /// The window of the status line's changes.
    static let changesWindow: Duration = .seconds(86_400)

    let loop: PollLoop
    let store: SQLiteStore
    let reporter: any Reporting
    let changes: ChangeRecorder
    let board: StatusBoard
    let notifier: ServiceNotifier
    /// Nil if the manager does not ask for signs of life.
    let watchdog: Watchdog?
    let now: @Sendable () -> Timestamp

    /// Works until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            if let watchdog { group.addTask { await watchdog.run() } }
            await keepHouse()
        }
    }

    private func keepHouse() async {
        let ticker = Ticker(label: "pollard.housekeeping")
        ticker.set(to: Ticker.now().advanced(by: Self.period))
        var shown = ""
        for await _ in ticker.ticks {
            await writeNoted()
            await showStatus(&shown)
            ticker.set(to: Ticker.now().advanced(by: Self.period))
        }
    }

    private func writeNoted() async {
        do {
            try await store.flush()
            changes.noteSuccess(of: .notes)
        } catch {
            changes.noteFailure(of: .notes, error)
        }
    }

    private func showStatus(_ shown: inout String) async {
        let line = await statusLine()
        guard line != shown else { return }
        shown = line
        reporter.reportingTrouble { try notifier.status(line) }
    }

    /// The status line of this moment.
    func statusLine() async -> String {
        let figures: String
        do {
            let start = now().advanced(by: .zero - Self.changesWindow)
            let trouble = changes.troubleText.map { $0 + "; " } ?? ""
            figures =
                trouble
                + loop.figures().statusLine(
                    changes: try await store.changeCount(since: start))
        } catch {
            figures = "\(changes.troubleText ?? "store trouble"); \(error)"
        }
        return board.line(over: figures)
    }
}
