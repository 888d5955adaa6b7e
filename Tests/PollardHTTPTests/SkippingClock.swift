// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A clock that doesn't sleep: it goes forward at once, and keeps how long it was to sleep.
final class SkippingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let state = Mutex<(now: Duration, sleeps: [Duration])>((.zero, []))

    var now: Instant { Instant(offset: state.withLock { $0.now }) }
    let minimumResolution = Duration.zero
    /// Every sleep, in order.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Lets time pass that nobody slept.
    func advance(by duration: Duration) { state.withLock { $0.now += duration } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(deadline.offset - state.now)
            state.now = deadline.offset
        }
    }
}
