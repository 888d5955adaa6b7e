// SPDX-License-Identifier: Apache-2.0

extension DeferredRequests {
    /// How a replay went.
    public struct Replay: Sendable, Hashable {
        /// Why it ended.
        public enum End: Sendable, Hashable {
            /// Nothing waits any more.
            case complete
            /// The first request could not be sent yet; those after it were not tried.
            case postponed
            /// Another replay was under way, which sends what waits.
            case alreadyRunning
        }

        /// Requests that the server has taken.
        public var delivered = 0
        /// Requests that failed for good.
        public var failed = 0
        /// Why it ended.
        public var end = End.complete
        /// How long the server asks to wait (`Retry-After`), if it does; at most a day.
        public var retryAfter: Duration?

        /// One day: a server's mistake must not stop a queue for longer, nor be more than a clock
        /// can count.
        static let longestRetryAfter: Duration = .seconds(86_400)
    }

    /// Sends the request of an endpoint now, or keeps it if there is no answer.
    ///
    /// It is also kept if others wait, behind them. What is kept is what the endpoint says; fields
    /// and credentials of the client are added each time that it is sent.
    ///
    /// - Parameters:
    ///   - endpoint: What to request; with the client's credentials, not with its own.
    ///   - client: What sends it.
    /// - Returns: The answer, whatever its status, or the request as it is kept.
    /// - Throws: What the client throws if the request was sent or can't be; `invalidRequest` for
    ///   an endpoint with credentials of its own, in `authentication` or in a field that is one as
    ///   `HTTPRequest.credentialFields` says, or by the client's `credentialFields`; `queueFull` or
    ///   `storage` if it can't be kept.
    public func send(
        _ endpoint: some Endpoint, using client: NetworkManager
    ) async throws(NetworkError) -> Outcome {
        try await send(DeferredContent(endpoint, of: client), client.deferredSender)
    }

    /// Sends a request now, or keeps it if there is no answer.
    ///
    /// - Parameters:
    ///   - request: What to send; its credentials are not kept for a replay.
    ///   - transport: What sends it.
    /// - Returns: The answer, whatever its status, or the request as it is kept.
    /// - Throws: As `send(_:using:)` with a client does.
    public func send(
        _ request: HTTPRequest, using transport: any HTTPTransport
    ) async throws(NetworkError) -> Outcome {
        try await send(DeferredContent(request)) { content async throws(NetworkError) in
            try await transport.send(content.request)
        }
    }

    /// Sends what waits, in order, until nothing is left or a request can't be sent yet.
    ///
    /// - Parameter client: What sends it, with its credentials of now.
    /// - Returns: How it went; a request that failed is no error of the replay.
    /// - Throws: `NetworkError.Code.storage`, or `cancelled`; events tell what was delivered before.
    @discardableResult
    public func replay(using client: NetworkManager) async throws(NetworkError) -> Replay {
        try await replay(client.deferredSender)
    }

    /// Sends what waits, in order, until nothing is left or a request can't be sent yet.
    ///
    /// - Parameter transport: What sends it; it has to add the credentials.
    /// - Returns: How it went; a request that failed is no error of the replay.
    /// - Throws: `NetworkError.Code.storage`, or `cancelled`; events tell what was delivered before.
    @discardableResult
    public func replay(
        using transport: any HTTPTransport
    ) async throws(NetworkError) -> Replay {
        try await replay { content async throws(NetworkError) in
            try await transport.send(content.request)
        }
    }

    typealias Sender = @Sendable (DeferredContent) async throws(NetworkError) -> HTTPResponse

    private func send(
        _ content: DeferredContent, _ sender: Sender
    ) async throws(NetworkError) -> Outcome {
        let place = takePlace()
        guard !isBusy else { return .deferred(try keep(content, at: place)) }
        do throws(NetworkError) {
            return .answered(try await sender(content))
        } catch {
            guard DeferredVerdict.isOffline(error) else { throw error }
            return .deferred(try keep(content, at: place, after: error))
        }
    }

    private func replay(_ sender: Sender) async throws(NetworkError) -> Replay {
        var replay = Replay()
        guard !isReplaying else {
            replay.end = .alreadyRunning
            return replay
        }
        isReplaying = true
        defer { isReplaying = false }
        while let next = first() {
            let outcome: Result<HTTPResponse, NetworkError>
            do throws(NetworkError) {
                outcome = .success(try await sender(next.content))
            } catch {
                outcome = .failure(error)
            }
            switch try settle(next, outcome) {
            case .delivered: replay.delivered += 1
            case .failed: replay.failed += 1
            case .cancelled: throw .taskCancelled
            case .postponed:
                replay.end = .postponed
                replay.retryAfter = retryAfter(outcome)
                return replay
            }
        }
        return replay
    }

    private func retryAfter(_ outcome: Result<HTTPResponse, NetworkError>) -> Duration? {
        guard case .success(let response) = outcome else { return nil }
        return RetryPolicy.retryAfter(in: response, now: now())
            .map { min($0, Replay.longestRetryAfter) }
    }
}

extension NetworkError.Code {
    /// A queue of deferred requests takes no more.
    public static let queueFull = NetworkError.Code(rawValue: "queue full")
}
