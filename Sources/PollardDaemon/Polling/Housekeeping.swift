// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP
internal import PollardStore
internal import PollardSystemd

/// What the daemon does each second beside polling: writes what was noted, keeps the status line
/// true, and tells the service manager that it is alive.
struct Housekeeping: Sendable {
    /// How often noted polls are written and the figures looked at.
    static let period: Duration = .seconds(1)
    /// How late the schedule may be and still count as alive: many times what a loaded machine
    /// shows, and well within the 30 s of the unit's watchdog.
    static let tolerableLateness: Duration = .seconds(10)
    /// The window of the status line's changes.
    static let changesWindow: Duration = .seconds(86_400)

    let loop: PollLoop
    let store: SQLiteStore
    let transport: CurlTransport
    let reporter: any Reporting
    let changes: ChangeRecorder
    let board: StatusBoard
    let notifier: ServiceNotifier
    let now: @Sendable () -> Timestamp

    /// Works until the task is cancelled.
    func run() async {
        let ticker = Ticker(label: "pollard.housekeeping")
        ticker.set(to: Ticker.now().advanced(by: Self.period))
        var shown = ""
        for await _ in ticker.ticks {
            await writeNoted()
            await showStatus(&shown)
            await showLife()
            ticker.set(to: Ticker.now().advanced(by: Self.period))
        }
    }

    private func writeNoted() async {
        do {
            try await store.flush()
            changes.noteShared(nil)
        } catch {
            changes.noteShared(error)
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

    /// Tells the watchdog, if the schedule and the fetch loop show life too.
    ///
    /// Reached only when the store has answered.
    private func showLife() async {
        guard loop.overdue() < Self.tolerableLateness, await transport.isResponsive() else {
            return
        }
        reporter.reportingTrouble { try notifier.watchdog() }
    }
}
