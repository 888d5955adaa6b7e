// SPDX-License-Identifier: Apache-2.0

/// Something that happened to a deferred request.
public enum DeferredEvent: Sendable, Hashable {
    /// It waits to be sent.
    case deferred(DeferredRequest)
    /// The server has taken it, with this answer.
    case delivered(DeferredRequest, HTTPResponse)
    /// It could not be sent and stays; `lastCause` says why.
    case postponed(DeferredRequest)
    /// It is not sent again by itself; `lastCause` says why.
    case failed(DeferredRequest)
    /// It was removed without being sent.
    case dropped(DeferredRequest)
}

/// Those who look at the events of a queue.
struct DeferredObservers: Sendable {
    private var continuations: [AsyncStream<DeferredEvent>.Continuation] = []

    /// What is kept for an observer who doesn't keep up: one replay of a full queue.
    private static let buffered = 1000

    /// Adds an observer.
    mutating func add() -> AsyncStream<DeferredEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeferredEvent.self, bufferingPolicy: .bufferingNewest(Self.buffered))
        continuations.append(continuation)
        return stream
    }

    /// Ends the sequences of all observers.
    func finish() {
        for continuation in continuations { continuation.finish() }
    }

    /// Tells all observers, and forgets those who are gone.
    mutating func send(_ event: DeferredEvent) {
        continuations.removeAll { continuation in
            if case .terminated = continuation.yield(event) { true } else { false }
        }
    }
}
