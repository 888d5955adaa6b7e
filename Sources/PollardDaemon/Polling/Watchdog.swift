// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// Tells the service manager that the daemon is alive, for as long as each of its parts shows life.
///
/// Before each message, every part has done something since the one before. So the manager's limit
/// is the only one: what is slow has all of it, and what hangs ends in a restart at most one period
/// after it.
struct Watchdog: Sendable {
    /// Something that returns once a part has shown life; false if it ends before.
    typealias Sign = @Sendable () async -> Bool

    /// The longest time from a message to the next questions: often enough to leave nearly all of
    /// a usual limit to parts that are slow, and for a few microseconds of work not too often.
    static let longestPeriod: Duration = .seconds(1)

    /// How long the manager waits for a message.
    let limit: Duration
    /// One of each part.
    let signs: [Sign]
    /// Sends a message.
    let tell: @Sendable () -> Void

    /// The time from a message to the next questions: a quarter of a limit that is very short.
    var period: Duration { min(Self.longestPeriod, limit / 4) }

    /// Works until the task is cancelled.
    func run() async {
        let ticker = Ticker(label: "pollard.watchdog")
        ticker.set(to: Ticker.now())
        for await _ in ticker.ticks {
            if await isEachAlive() { tell() }
            ticker.set(to: Ticker.now().advanced(by: period))
        }
    }

    private func isEachAlive() async -> Bool {
        await withTaskGroup { group in
            for sign in signs { group.addTask { await sign() } }
            return await group.allSatisfy(\.self)
        }
    }
}
