// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP
internal import PollardStore
internal import PollardSystemd

extension ServiceNotifier {
    /// What tells the manager of signs of life; nil if it does not ask for any.
    func watchdog(
        _ loop: PollLoop, _ transport: CurlTransport, _ store: SQLiteStore,
        _ reporter: any Reporting
    ) -> Watchdog? {
        let limit: Duration
        do throws(SystemdError) {
            guard let interval = try watchdogInterval() else { return nil }
            limit = interval
        } catch {
            reporter.report(.notifyTrouble("\(error)"))
            return nil
        }
        return Watchdog(
            limit: limit,
            signs: [
                {
                    await loop.showLife()
                    return !Task.isCancelled
                },
                // Past the limit the manager has acted, and nobody waits for an answer.
                { await transport.isResponsive(within: limit) },
                {
                    await store.showLife()
                    return true
                },
            ],
            tell: { reporter.reportingTrouble { try self.watchdog() } })
    }

    /// Runs a part of the start or the stop that may rightly take long, and asks for more time
    /// meanwhile.
    func grantingTime<Value, Failure: Error>(
        upTo maximum: Duration, _ reporter: any Reporting,
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let moreTime = MoreTime(upTo: maximum) { step in
            reporter.reportingTrouble { try extendTimeout(by: step) }
        }
        defer { moreTime.end() }
        return try await work()
    }
}
