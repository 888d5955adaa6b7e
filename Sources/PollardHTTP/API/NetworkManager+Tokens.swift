// SPDX-License-Identifier: Apache-2.0

extension NetworkManager {
    /// Sends a request with a token, and once more with another if the server refuses it (401).
    ///
    /// - Parameters:
    ///   - request: What to send, as it comes out of the middleware.
    ///   - retry: When it is sent again with the same token.
    ///   - origin: Where the token may go: the origin of the base URL.
    /// - Returns: The last answer, whatever its status.
    /// - Throws: What the provider throws, without anything being sent; else as `send` does.
    func send(
        _ request: HTTPRequest, retry: RetryPolicy, withTokenFor origin: String
    ) async throws(NetworkError) -> HTTPResponse {
        var reporter = attemptReporter
        guard let keeper, try BaseURL(request.url).origin == origin else {
            return try await send(request, retry: retry, &reporter)
        }
        let token = try await freshToken(after: []) { () async throws(NetworkError) in
            try await keeper.token(within: request.timeouts.total, now: environment.now)
        }
        let first = try await send(
            request.authorized(by: token), retry: retry, &reporter)
        // Another origin did not see the token, so it did not refuse it.
        guard first.status == 401, (try? BaseURL(first.url))?.origin == origin else { return first }
        dropStream()
        let other = try await freshToken(after: first.history) { () async throws(NetworkError) in
            try await keeper.token(
                replacing: token, within: request.timeouts.total, now: environment.now)
        }
        let second: Result<HTTPResponse, NetworkError>
        do throws(NetworkError) {
            second = .success(
                try await send(
                    request.authorized(by: other), retry: retry, &reporter))
        } catch {
            second = .failure(error)
        }
        return try second.with(first.history + second.history).get()
    }

    /// Gets a token; the error says that this is what failed, and what was sent before.
    private func freshToken(
        after history: [HTTPAttempt], _ get: () async throws(NetworkError) -> AccessToken
    ) async throws(NetworkError) -> AccessToken {
        do {
            return try await get()
        } catch  where error.code == .cancelled {
            var error = error
            error.history = history
            throw error
        } catch {
            var failure = NetworkError(error.code, "cannot get a token", underlying: error)
            failure.timeout = error.timeout
            failure.history = history
            throw failure
        }
    }
}

extension HTTPRequest {
    /// The request with a token, which a redirect to another origin leaves behind.
    fileprivate func authorized(by token: AccessToken) throws(NetworkError) -> HTTPRequest {
        var request = self
        try request.authenticate(by: .bearer(token.value))
        return request
    }
}
