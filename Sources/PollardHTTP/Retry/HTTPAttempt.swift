// SPDX-License-Identifier: Apache-2.0

/// One sending of a request: how it ended, after which delay it was made, and how long it took.
///
/// The `history` of an answer and of a `NetworkError` has one for each time that the request was
/// sent:
///
/// ```swift
/// for attempt in error.history { print(attempt) }     // answered 503 after 12 ms
/// ```
public struct HTTPAttempt: Sendable, Hashable, CustomStringConvertible {
    /// How an attempt ended.
    public enum Outcome: Sendable, Hashable {
        /// With an answer of this status.
        case answered(Int)
        /// Without a complete answer.
        case failed(NetworkError.Code)
    }

    /// How it ended.
    public var outcome: Outcome
    /// How long was waited before it; zero for the first.
    public var delay: Duration
    /// How long each of its phases took.
    public var timing: HTTPTiming

    /// Makes one, as a stub for tests does.
    public init(_ outcome: Outcome, delay: Duration = .zero, timing: HTTPTiming = HTTPTiming()) {
        self.outcome = outcome
        self.delay = delay
        self.timing = timing
    }

    /// Makes one from what a transport gave.
    init(_ outcome: Result<HTTPResponse, NetworkError>, delay: Duration) {
        switch outcome {
        case .success(let response):
            self.init(.answered(response.status), delay: delay, timing: response.timing)
        case .failure(let error):
            self.init(.failed(error.code), delay: delay, timing: error.timing)
        }
    }

    /// As `answered 503 after 12 ms`, or `failed (connect) after 1 ms, 500 ms later`.
    public var description: String {
        let end =
            switch outcome {
            case .answered(let status): "answered \(status)"
            case .failed(let code): "failed (\(code.rawValue))"
            }
        let wait = delay == .zero ? "" : ", \(delay.inMessages) later"
        return "\(end) after \(timing.total.inMessages)\(wait)"
    }
}
