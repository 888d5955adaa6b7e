// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The start or the end of one attempt to send a request, told as it happens.
///
/// A client tells each of them to its `onAttempt`; the same is in the `history` of the answer or
/// of the error afterwards.
///
/// ```swift
/// client.onAttempt = { event in
///     guard let delay = event.delayBeforeNext else { return }
///     log("\(event.request): attempt \(event.number) failed, the next in \(delay)")
/// }
/// ```
public struct AttemptEvent: Sendable, CustomStringConvertible {
    /// How far an attempt has come.
    public enum Stage: Sendable {
        /// It is about to be sent.
        case started
        /// It ended, with an answer of any status or without one.
        ///
        /// If the client sends the request again, then after `delayBeforeNext`; nil if this
        /// outcome stands, as far as the retry policy and the budget go.
        case ended(Result<HTTPResponse, NetworkError>, delayBeforeNext: Duration?)
    }

    /// Tells requests apart: the same for all attempts of one, and for no other of this process.
    public var id: UInt64
    /// What is sent, with credentials and tokens; its description has neither.
    public var request: HTTPRequest
    /// Which attempt it is, counted from 1.
    public var number: Int
    /// How far it has come.
    public var stage: Stage

    /// Makes one, as a test of an observer does.
    public init(id: UInt64 = 0, request: HTTPRequest, number: Int, stage: Stage) {
        self.id = id
        self.request = request
        self.number = number
        self.stage = stage
    }

    /// The answer, whatever its status; nil before the end, and without an answer.
    public var response: HTTPResponse? { try? outcome?.get() }

    /// Why there was no answer; nil before the end, and with one.
    public var error: NetworkError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    /// How long it is until the next attempt; nil if there is none, or this one has not ended.
    public var delayBeforeNext: Duration? {
        if case .ended(_, let delay) = stage { delay } else { nil }
    }

    private var outcome: Result<HTTPResponse, NetworkError>? {
        if case .ended(let outcome, _) = stage { outcome } else { nil }
    }

    /// As `GET https://h/p: attempt 1 answered 503 after 12 ms, the next in 480 ms`; no secrets.
    public var description: String {
        let attempt = "\(request): attempt \(number)"
        guard case .ended(let outcome, let delay) = stage else { return "\(attempt) started" }
        let end = HTTPAttempt(outcome, delay: .zero)
        let next = delay.map { ", the next in \($0.inMessages)" } ?? ""
        return "\(attempt) \(end)\(next)\(error.map { ": \($0)" } ?? "")"
    }
}

/// Numbers the attempts of one request, and tells an observer of them.
struct AttemptReporter {
    private static let lastID = Atomic<UInt64>(0)

    private let observer: (@Sendable (AttemptEvent) -> Void)?
    private let id: UInt64
    private var number = 0

    /// Makes the reporter of a new request; without an observer it does nothing.
    init(to observer: (@Sendable (AttemptEvent) -> Void)?) {
        self.observer = observer
        id = observer == nil ? 0 : Self.lastID.add(1, ordering: .relaxed).newValue
    }

    /// Tells that the next attempt starts.
    mutating func start(_ request: HTTPRequest) {
        number += 1
        tell(request, .started)
    }

    /// Tells how that attempt ended.
    func end(
        _ request: HTTPRequest, _ outcome: Result<HTTPResponse, NetworkError>, next: Duration?
    ) {
        tell(request, .ended(outcome, delayBeforeNext: next))
    }

    private func tell(_ request: HTTPRequest, _ stage: AttemptEvent.Stage) {
        guard let observer else { return }
        observer(AttemptEvent(id: id, request: request, number: number, stage: stage))
    }
}
