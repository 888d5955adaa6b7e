// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signals that the process is sent, as an `AsyncSequence` instead of interruptions.
package final class SignalSequence: Sendable {
    /// A signal that is waited for.
    package enum Signal: Int32, Sendable, CaseIterable {
        case hangUp = 1
        case interrupt = 2
        case terminate = 15

        /// The name, as in `SIGTERM`.
        package var name: String {
            switch self {
            case .hangUp: "SIGHUP"
            case .interrupt: "SIGINT"
            case .terminate: "SIGTERM"
            }
        }
    }

    /// The signals in the order in which they come.
    package let signals: AsyncStream<Signal>

    private let sources: Mutex<[any DispatchSourceSignal]>

    /// Keeps SIGHUP from ending the process from now on; the sequence begins with one that comes
    /// before it is made.
    ///
    /// To be called first thing in a program that reloads: until there is a sequence, a signal does
    /// what it does to any program.
    package static func keepEarlyHangUp() { keepEarly(.hangUp) }

    /// Takes over every signal of `Signal`; those sent before end the process, except a SIGHUP
    /// after `keepEarlyHangUp()`.
    ///
    /// - Parameter onArrival: Called at once when a signal comes, before anybody takes it from the
    ///   sequence.
    package init(onArrival: @escaping @Sendable (Signal) -> Void = { _ in }) {
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
        let queue = DispatchQueue(label: "pollard.signals")
        var sources: [any DispatchSourceSignal] = []
        for signal in Signal.allCases {
            let arrive = { @Sendable in
                onArrival(signal)
                _ = continuation.yield(signal)
            }
            // Dispatch puts its own handler in place of this one, some time after `activate`.
            Self.keepEarly(signal)
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
            source.setEventHandler(handler: arrive)
            source.setRegistrationHandler { @Sendable in
                if early.take(signal.rawValue) { arrive() }
            }
            source.activate()
            sources.append(source)
        }
        signals = stream
        self.sources = Mutex(sources)
    }

    private static func keepEarly(_ signal: Signal) {
        // Here, since what is made at its first use must not be made within a signal handler.
        _ = early
        _ = Glibc.signal(signal.rawValue) { number in early.note(number) }
    }

    deinit {
        sources.withLock { for source in $0 { source.cancel() } }
    }
}

/// The signals that came before there was a sequence to take them.
///
/// Of the whole process, as signal handlers are; they may do no more than this
/// (signal-safety(7)).
private let early = EarlySignals()

private final class EarlySignals: Sendable {
    /// The bit N for the signal of the number N.
    private let bits = Atomic<UInt64>(0)

    func note(_ number: Int32) { bits.bitwiseOr(1 << UInt64(number), ordering: .relaxed) }

    /// Whether the signal came; no longer afterwards.
    func take(_ number: Int32) -> Bool {
        let bit: UInt64 = 1 << UInt64(number)
        return bits.bitwiseAnd(~bit, ordering: .relaxed).oldValue & bit != 0
    }
}
