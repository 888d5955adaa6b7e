// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

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
        /// How long the server asks to wait (`Retry-After`), if it does.
        public var retryAfter: Duration?
    }

    /// Sends the request of an endpoint now, or keeps it if there is no answer.
    ///
    /// It is also kept if others wait, behind them.
    ///
    /// - Parameters:
    ///   - endpoint: What to request; with the client's credentials, not with its own.
    ///   - client: What sends it.
    /// - Returns: The answer, whatever its status, or the request as it is kept.
    /// - Throws: What the client throws if the request was sent or can't be; `queueFull` or
    ///   `storage` if it can't be kept.
    public func send(
        _ endpoint: some Endpoint, using client: NetworkManager
    ) async throws(NetworkError) -> Outcome {
        guard endpoint.authentication == nil else {
            throw NetworkError(
                .invalidRequest,
                "the endpoint has credentials of its own, which are not kept; "
                    + "give them to the client")
        }
        var request = try client.request(for: endpoint)
        request.takesClientCredentials = endpoint.requiresToken
        request.isRetried = endpoint.retry.map { $0.attempts > 1 } ?? true
        return try await send(request, client.sender(retry: endpoint.retry))
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
        try await send(request) { request async throws(NetworkError) in
            try await transport.send(request)
        }
    }

    /// Sends what waits, in order, until nothing is left or a request can't be sent yet.
    ///
    /// - Parameter client: What sends it, with its credentials of now.
    /// - Returns: How it went; a request that failed is no error of the replay.
    /// - Throws: `NetworkError.Code.storage`, or `cancelled`.
    @discardableResult
    public func replay(using client: NetworkManager) async throws(NetworkError) -> Replay {
        try await replay(client.sender(retry: nil))
    }

    /// Sends what waits, in order, until nothing is left or a request can't be sent yet.
    ///
    /// - Parameter transport: What sends it; it has to add the credentials.
    /// - Returns: How it went; a request that failed is no error of the replay.
    /// - Throws: `NetworkError.Code.storage`, or `cancelled`.
    @discardableResult
    public func replay(
        using transport: any HTTPTransport
    ) async throws(NetworkError) -> Replay {
        try await replay { request async throws(NetworkError) in
            try await transport.send(request)
        }
    }

    typealias Sender = @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse

    private func send(
        _ request: HTTPRequest, _ sender: Sender
    ) async throws(NetworkError) -> Outcome {
        let request = try prepared(request)
        guard !isBusy else { return .deferred(try append(request)) }
        do throws(NetworkError) {
            return .answered(try await sender(request))
        } catch {
            guard DeferredVerdict.isOffline(error) else { throw error }
            return .deferred(try keep(request, after: error))
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
                outcome = .success(try await sender(next.request))
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
    }
}

extension NetworkManager {
    /// Sends a request that was kept without credentials as one of this client's endpoints.
    ///
    /// - Parameter retry: The endpoint's policy; that of a request that was kept is the client's,
    ///   unless it was to be sent once only.
    /// - Returns: What sends.
    fileprivate func sender(retry: RetryPolicy?) -> DeferredRequests.Sender {
        { request async throws(NetworkError) in
            // The path and query are part of the base URL, which keeps them as they are.
            var endpoint = AnyEndpoint(path: "")
            endpoint.baseURL = request.url
            endpoint.method = request.method
            endpoint.headers = request.fields
            endpoint.body = request.body.map { .bytes($0, contentType: nil) }
            endpoint.credentialFields = request.credentialFields
            endpoint.timeouts = request.timeouts
            endpoint.maximumRedirects = request.maximumRedirects
            endpoint.maximumBodyBytes = request.maximumBodyBytes
            endpoint.requiresToken = request.takesClientCredentials
            endpoint.retry = retry ?? (request.isRetried ? nil : .never)
            return try await response(for: endpoint)
        }
    }
}

extension HTTPRequest {
    /// Without what must not be on a disk.
    var withoutCredentials: HTTPRequest {
        let secret =
            credentialFields.map { $0.lowercased() }
            + ["authorization", "proxy-authorization", "cookie"]
        var request = self
        request.fields.removeAll { secret.contains($0.lowercased()) }
        request.credentialFields = []
        request.digest = nil
        // A proxy may have a password; the transport knows how servers are reached.
        request.connection = nil
        return request
    }

    /// With a key by which a server can tell a repeat, if it may change something.
    var withIdempotencyKey: HTTPRequest {
        let isSafe = [.get, .head, .options].contains(method)
        guard !isSafe, fields["Idempotency-Key"] == nil else { return self }
        var request = self
        request.fields["Idempotency-Key"] = "\"\(UUID().uuidString.lowercased())\""
        return request
    }
}

extension NetworkError.Code {
    /// A queue of deferred requests takes no more.
    public static let queueFull = NetworkError.Code(rawValue: "queue full")
}
