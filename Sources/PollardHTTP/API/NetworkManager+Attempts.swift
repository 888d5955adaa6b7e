// SPDX-License-Identifier: Apache-2.0

extension NetworkManager {
    /// Tells of the attempts of a new request.
    var attemptReporter: AttemptReporter { AttemptReporter(to: onAttempt) }

    /// Sends a request until the policy, or the budget, lets the outcome stand.
    ///
    /// - Throws: The error of the last attempt, with the history of all.
    func send(
        _ request: HTTPRequest, retry: RetryPolicy
    ) async throws(NetworkError) -> HTTPResponse {
        var reporter = attemptReporter
        return try await send(request, retry: retry, &reporter)
    }

    /// Sends a request until the policy, or the budget, lets the outcome stand.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - retry: When it is sent again.
    ///   - reporter: Whom to tell of each attempt; it has told of those with another token.
    /// - Returns: The last answer, whatever its status, with the history of all.
    /// - Throws: The error of the last attempt, with the history of all.
    func send(
        _ request: HTTPRequest, retry: RetryPolicy, _ reporter: inout AttemptReporter
    ) async throws(NetworkError) -> HTTPResponse {
        var generator = environment.makeGenerator()
        var history: [HTTPAttempt] = []
        var delay = Duration.zero
        retryBudget?.noteRequest()
        while true {
            reporter.start(request)
            let outcome = await outcome(of: request)
            history.append(HTTPAttempt(outcome, delay: delay))
            let decision = retry.decision(
                after: outcome, to: request.method, attempt: history.count,
                now: environment.now(), using: &generator)
            guard case .retry(let next) = decision, retryBudget?.takeRetry() ?? true else {
                reporter.end(request, outcome, next: nil)
                return try outcome.with(history).get()
            }
            reporter.end(request, outcome, next: next)
            dropStream()
            delay = next
            try await wait(delay, after: outcome, history)
        }
    }

    private func outcome(of request: HTTPRequest) async -> Result<HTTPResponse, NetworkError> {
        do throws(NetworkError) {
            var response = try await cachingTransport.send(request)
            // A transport of one's own may not say, if it follows no redirects.
            if response.url.isEmpty { response.url = request.url }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private func wait(
        _ delay: Duration, after outcome: Result<HTTPResponse, NetworkError>,
        _ history: [HTTPAttempt]
    ) async throws(NetworkError) {
        do {
            try await environment.clock.sleep(for: delay)
        } catch {
            var cancelled = NetworkError(
                .cancelled, "the request was cancelled before attempt \(history.count + 1)")
            cancelled.history = history
            switch outcome {
            case .success(let response): cancelled.response = response
            case .failure(let error): cancelled.underlying = error
            }
            throw cancelled
        }
    }
}

extension Result<HTTPResponse, NetworkError> {
    /// The attempts that it took.
    var history: [HTTPAttempt] {
        switch self {
        case .success(let response): response.history
        case .failure(let error): error.history
        }
    }

    /// The same outcome of these attempts.
    func with(_ history: [HTTPAttempt]) -> Self {
        switch self {
        case .success(var response):
            response.history = history
            return .success(response)
        case .failure(var error):
            error.history = history
            return .failure(error)
        }
    }
}
