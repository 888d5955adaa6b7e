// SPDX-License-Identifier: Apache-2.0

extension NetworkManager {
    /// Sends a request until the policy lets the outcome stand.
    ///
    /// - Throws: The error of the last attempt, with the number of attempts and their time.
    func send(
        _ request: HTTPRequest, retry: RetryPolicy
    ) async throws(NetworkError) -> HTTPResponse {
        var generator = environment.makeGenerator()
        var attempt = 1
        var spent = Duration.zero
        while true {
            let outcome = await outcome(of: request, attempt: attempt, after: spent)
            let decision = retry.decision(
                after: outcome, to: request.method, attempt: attempt, now: environment.now(),
                using: &generator)
            guard case .retry(let delay) = decision else { return try outcome.get() }
            try await wait(delay, after: outcome, attempt: attempt)
            spent = outcome.elapsed + delay
            attempt += 1
        }
    }

    private func outcome(
        of request: HTTPRequest, attempt: Int, after spent: Duration
    ) async -> Result<HTTPResponse, NetworkError> {
        do throws(NetworkError) {
            var response = try await transport.send(request)
            response.attempts = attempt
            response.elapsed = spent + response.timing.total
            return .success(response)
        } catch {
            var error = error
            error.attempts = attempt
            error.elapsed = spent + error.timing.total
            return .failure(error)
        }
    }

    private func wait(
        _ delay: Duration, after outcome: Result<HTTPResponse, NetworkError>, attempt: Int
    ) async throws(NetworkError) {
        do {
            try await environment.clock.sleep(for: delay)
        } catch {
            var cancelled = NetworkError(
                .cancelled, "the request was cancelled before attempt \(attempt + 1)")
            cancelled.attempts = attempt
            cancelled.elapsed = outcome.elapsed
            switch outcome {
            case .success(let response): cancelled.response = response
            case .failure(let error): cancelled.underlying = error
            }
            throw cancelled
        }
    }
}

extension Result<HTTPResponse, NetworkError> {
    /// What was spent up to this outcome.
    fileprivate var elapsed: Duration {
        switch self {
        case .success(let response): response.elapsed
        case .failure(let error): error.elapsed
        }
    }
}
