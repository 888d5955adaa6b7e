// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// A Dispatch timer that is set to one instant at a time and ticks as an `AsyncSequence`.
///
/// Instants are those of `MonotonicTime`, taken from the clock of Dispatch (CLOCK_MONOTONIC).
package final class Ticker: Sendable {
    /// How late a tick may be so that the kernel can serve several with one wake-up, in
    /// milliseconds: far below what a poll at 100 ms, the shortest interval, would notice.
    package static let leewayMilliseconds = 1

    /// One element for each time that the timer fired; ticks that nobody took are one.
    package let ticks: AsyncStream<Void>

    private let timer: Mutex<any DispatchSourceTimer>
    private let continuation: AsyncStream<Void>.Continuation

    /// Makes a ticker that does not tick before `set(to:)`.
    package init(label: String) {
        let (ticks, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: label))
        source.setEventHandler { @Sendable in continuation.yield() }
        source.schedule(deadline: .distantFuture)
        source.activate()
        self.ticks = ticks
        self.continuation = continuation
        timer = Mutex(source)
    }

    deinit {
        timer.withLock { $0.cancel() }
        continuation.finish()
    }

    /// The present instant.
    package static func now() -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    /// Lets the timer fire at `instant`, at once if it has passed, or never for nil.
    package func set(to instant: MonotonicTime?) {
        let deadline = instant.map {
            DispatchTime(uptimeNanoseconds: UInt64(max(1, $0.nanoseconds)))
        }
        timer.withLock {
            $0.schedule(
                deadline: deadline ?? .distantFuture,
                leeway: .milliseconds(Self.leewayMilliseconds))
        }
    }

    /// Ends the sequence of ticks.
    package func stop() { continuation.finish() }
}
