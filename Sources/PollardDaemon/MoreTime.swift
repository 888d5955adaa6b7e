// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PollardCore
internal import Synchronization

/// Asks the service manager for more time while a start or a stop does what may rightly take long.
///
/// Not for ever: what hangs must still end, by the manager's hand.
final class MoreTime: Sendable {
    /// How often more is asked for; for work that is done sooner, not at all.
    ///
    /// In time for the shortest limit that makes sense in a unit, 1 s.
    static let period: Duration = .milliseconds(500)
    /// What is asked for each time, counted from then: some periods, so that a machine too busy to
    /// ask in time does not end a start that goes well.
    static let step: Duration = .seconds(10)
    /// The most for a start: a disk of 1 MB/s, as old memory cards are, reads the largest store that
    /// is checked (256 MiB) and the largest log (64 MiB) in little more than half of it.
    static let longestStart: Duration = .seconds(600)
    /// The most for a stop: in half of it, such a disk takes the largest log (64 MiB) over.
    static let longestStop: Duration = .seconds(130)

    private let timer: Mutex<any DispatchSourceTimer>

    /// Begins to ask.
    ///
    /// A timer of Dispatch does, since the work may keep every thread of Swift's pool.
    ///
    /// - Parameters:
    ///   - maximum: How long it is asked for more at most.
    ///   - period: How often; another only in tests.
    ///   - ask: Asks for this much, from now on.
    init(
        upTo maximum: Duration, every period: Duration = MoreTime.period,
        ask: @escaping @Sendable (Duration) -> Void
    ) {
        let end = Ticker.now().advanced(by: maximum)
        let nanoseconds = DispatchTimeInterval.nanoseconds(Int(period.wholeNanoseconds))
        let source = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "pollard.more-time"))
        source.setEventHandler { @Sendable in
            if Ticker.now() < end { ask(MoreTime.step) }
        }
        source.schedule(deadline: .now() + nanoseconds, repeating: nanoseconds)
        source.activate()
        timer = Mutex(source)
    }

    deinit { end() }

    /// Ends asking: the work is done.
    func end() { timer.withLock { $0.cancel() } }
}
