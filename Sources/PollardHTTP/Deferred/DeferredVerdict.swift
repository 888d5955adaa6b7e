// SPDX-License-Identifier: Apache-2.0

/// What an attempt to send a deferred request means for it: a value, decided without effects.
enum DeferredVerdict: Sendable, Hashable {
    /// The server has taken it.
    case delivered
    /// It stays first in the queue: the server was not reached, or may take it later.
    case postponed(cause: String, isServerError: Bool)
    /// It would fail again: the user has to decide.
    case failed(cause: String)
    /// It is as it was: whoever replays gave up.
    case cancelled

    /// Decides about an outcome.
    init(_ outcome: Result<HTTPResponse, NetworkError>) {
        switch outcome {
        case .success(let response):
            let cause = "the server answered \(response.status)"
            self =
                switch response.status {
                case ..<400: .delivered
                case let status where Self.passing.contains(status) || status >= 500:
                    .postponed(cause: cause, isServerError: true)
                default: .failed(cause: cause)
                }
        case .failure(let error) where error.code == .cancelled:
            self = .cancelled
        case .failure(let error):
            self =
                Self.permanent.contains(error.code)
                ? .failed(cause: error.description)
                : .postponed(cause: error.description, isServerError: false)
        }
    }

    /// Whether a request that ended so was not answered: the program is offline, or as good as.
    static func isOffline(_ error: NetworkError) -> Bool {
        guard error.response == nil, case .postponed = DeferredVerdict(.failure(error)) else {
            return false
        }
        return true
    }

    /// Request Timeout, Too Early (RFC 8470) and Too Many Requests: a later attempt may succeed.
    private static let passing: Set<Int> = [408, 425, 429]

    /// What is wrong with the request, or with an answer that did come.
    private static let permanent: Set<NetworkError.Code> = [
        .invalidURL, .invalidRequest, .bodyTooLarge, .headersTooLarge, .tooManyRedirects,
        .encoding, .decoding, .storage, .httpVersion,
    ]
}
