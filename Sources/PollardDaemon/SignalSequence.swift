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

    /// Takes over every signal of `Signal`; those sent before are lost to nobody, since the
    /// default action ended the process.
    ///
    /// - Parameter onArrival: Called at once when a signal comes, before anybody takes it from the
    ///   sequence.
    package init(onArrival: @escaping @Sendable (Signal) -> Void = { _ in }) {
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
        let queue = DispatchQueue(label: "pollard.signals")
        var sources: [any DispatchSourceSignal] = []
        for signal in Signal.allCases {
            // The source only sees signals that do not end the process (dispatch_source(3)).
            _ = Glibc.signal(signal.rawValue, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
            source.setEventHandler { @Sendable in
                onArrival(signal)
                continuation.yield(signal)
            }
            source.activate()
            sources.append(source)
        }
        signals = stream
        self.sources = Mutex(sources)
    }

    deinit {
        sources.withLock { for source in $0 { source.cancel() } }
    }
}
