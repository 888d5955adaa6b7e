// SPDX-License-Identifier: Apache-2.0

/// What an attempt to send a deferred request means for it: a value, decided without effects.
enum DeferredVerdict: Sendable, Hashable {
    /// The server has taken it.
    case delivered
    /// It stays first in the queue: no server was reached, or it may take it later. `isCounted`
    /// says that it did not simply have no network, so that it is not tried for ever.
    case postponed(cause: String, isCounted: Bool)
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
                // The result of what was done is elsewhere, or the same as before.
                case ..<300, 303, 304: .delivered
                // A redirect that was not followed: nobody has taken the content yet. It may come
                // from a network that wants a login first.
                case ..<400: .postponed(cause: cause, isCounted: true)
                case let status where Self.isPassing(status):
                    .postponed(cause: cause, isCounted: true)
                default: .failed(cause: cause)
                }
        case .failure(let error):
            self.init(error)
        }
    }

    private init(_ error: NetworkError) {
        let cause = error.description
        switch error.code {
        case .cancelled:
            self = .cancelled
        case .nameLookup, .connect, .tls, .connectionLost, .timeout:
            self = .postponed(cause: cause, isCounted: false)
        case .server, .authentication:
            // Of the answer to this request, or to the one for its token.
            let status = error.status ?? (error.underlying as? NetworkError)?.status
            let isPassing = status.map(Self.isPassing) ?? (error.code == .server)
            self =
                isPassing ? .postponed(cause: cause, isCounted: true) : .failed(cause: cause)
        case let code where Self.final.contains(code):
            self = .failed(cause: cause)
        default:
            self = .postponed(cause: cause, isCounted: true)
        }
    }

    /// Whether a request that ended so was not answered: the program is offline, or as good as.
    static func isOffline(_ error: NetworkError) -> Bool {
        guard error.response == nil, case .postponed = DeferredVerdict(.failure(error)) else {
            return false
        }
        return true
    }

    /// Request Timeout, Too Early (RFC 8470), Too Many Requests, and all server errors: a later
    /// attempt may succeed.
    private static func isPassing(_ status: Int) -> Bool {
        status >= 500 || [408, 425, 429].contains(status)
    }

    /// What is wrong with the request, with this machine, or with an answer that did come.
    private static let final: Set<NetworkError.Code> = [
        .invalidURL, .invalidRequest, .bodyTooLarge, .headersTooLarge, .tooManyRedirects,
        .encoding, .decoding, .file, .storage, .queueFull, .httpVersion,
    ]
}
