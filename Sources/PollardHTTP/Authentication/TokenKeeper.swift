// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Keeps the token of a provider, and gets another one once for all who need it.
final class TokenKeeper: Sendable {
    /// A token is taken for expired this much earlier, since it is checked when the request
    /// arrives: the time limit of a request by default.
    static let margin = Duration.seconds(30)
    /// A token of a short life is used for at least three quarters of it: parts of the lifetime.
    fileprivate static let shortestShare = 4
    /// After an early refresh that failed, the token that is still good is used for so long before
    /// the next: 5 s, so that not every request waits for a provider that is down.
    fileprivate static let pause: Int64 = 5
    /// A year: no request waits longer, and a clock can count it.
    private static let longestWait = Duration.seconds(31_536_000)

    fileprivate typealias Outcome = Result<AccessToken, NetworkError>

    fileprivate struct State {
        var token: AccessToken?
        /// From when on it is not good any more, in seconds since 1970; nil if only a refusal tells.
        var expiry: Int64?
        /// From when on another is asked for: before `expiry`.
        var renewal: Int64?
        var isRefreshing = false
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
        var lastID = 0
        /// Of a server's text, these are taken out: the token, and the one before it, which
        /// requests in flight may still have.
        var known: [String] = []
    }

    /// Gets the tokens.
    let provider: any TokenProvider
    private let state = Mutex(State())

    /// Makes a keeper without a token.
    init(_ provider: any TokenProvider) { self.provider = provider }

    /// The token, and the one before it.
    var known: [String] { state.withLock { $0.known } }

    /// A token that is good as far as is known.
    ///
    /// - Parameters:
    ///   - rejected: The token that a server refused, if one did.
    ///   - limit: How long to wait for a new one at most.
    ///   - now: Tells seconds since 1970.
    /// - Returns: The token that is kept, or a new one.
    /// - Throws: The provider's error; `NetworkError.Code.timeout` after `limit`, or `cancelled`
    ///   soon after the task is cancelled, which does not disturb the others who wait.
    func token(
        replacing rejected: AccessToken? = nil, within limit: Duration,
        now: @escaping @Sendable () -> Int64
    ) async throws(NetworkError) -> AccessToken {
        if let token = usable(replacing: rejected, at: now()) { return token }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        var timer: Task<Void, any Error>?
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(id, continuation, replacing: rejected, now: now)
                // A provider may hang. It is not cancelled, since others may have more time.
                timer = Task {
                    try await Task.sleep(for: min(limit, Self.longestWait))
                    end(id, .noToken(within: limit))
                }
            }
        } onCancel: {
            end(id, .taskCancelled)
        }
        timer?.cancel()
        return try outcome.get()
    }

    /// Lets one who waits wait no more.
    private func end(_ id: Int, _ error: NetworkError) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.resume(returning: .failure(error))
    }

    /// Whoever asks after another had the token replaced gets the new one.
    private func usable(replacing rejected: AccessToken?, at now: Int64) -> AccessToken? {
        state.withLock { $0.usable(replacing: rejected, at: now) }
    }

    private func wait(
        _ id: Int, _ continuation: CheckedContinuation<Outcome, Never>,
        replacing rejected: AccessToken?, now: @escaping @Sendable () -> Int64
    ) {
        enum Step { case give(Outcome), refresh, wait }
        let time = now()
        let step: Step = state.withLock { state in
            // A cancellation before this had no waiter to end.
            if Task.isCancelled { return .give(.failure(.taskCancelled)) }
            if let token = state.usable(replacing: rejected, at: time) {
                return .give(.success(token))
            }
            state.waiters[id] = continuation
            if let rejected, state.token == rejected { state.token = nil }
            guard !state.isRefreshing else { return .wait }
            state.isRefreshing = true
            return .refresh
        }
        switch step {
        case .give(let outcome): continuation.resume(returning: outcome)
        case .refresh: Task.detached { await self.refresh(startedAt: time, now: now) }
        case .wait: break
        }
    }

    private func refresh(startedAt start: Int64, now: @Sendable () -> Int64) async {
        var outcome: Outcome
        do throws(NetworkError) {
            let token = try await provider.freshToken()
            // What can't be sent is told to everyone who waits, not to one request after another.
            try HTTPAuthentication.bearer(token.value).validate()
            outcome = .success(token)
        } catch {
            outcome = .failure(error)
        }
        let end = now()
        let waiters = state.withLock { state in
            state.isRefreshing = false
            outcome = state.take(outcome, startedAt: start, endedAt: end)
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}

extension TokenKeeper.State {
    fileprivate func usable(replacing rejected: AccessToken?, at now: Int64) -> AccessToken? {
        guard !isRefreshing, let token, token != rejected, renewal.map({ now < $0 }) ?? true
        else { return nil }
        return token
    }

    /// Takes what a provider gave.
    ///
    /// - Returns: What those who wait get: after an early refresh that failed, the token that is
    ///   still good.
    fileprivate mutating func take(
        _ outcome: TokenKeeper.Outcome, startedAt start: Int64, endedAt now: Int64
    ) -> TokenKeeper.Outcome {
        switch outcome {
        case .failure:
            guard let token, let expiry, now < expiry else {
                self.token = nil
                return outcome
            }
            renewal = min(expiry, now.addingClamped(TokenKeeper.pause))
            return .success(token)
        case .success(let new):
            token = new
            known = Array(([new.value] + known).prefix(2))
            let lifetime = new.lifetime.flatMap { lifetime in
                lifetime < AccessToken.longestLifetime ? max(.zero, lifetime) : nil
            }
            expiry = lifetime.map { start.addingClamped($0.components.seconds) }
            renewal = lifetime.map { lifetime in
                let margin = min(TokenKeeper.margin, lifetime / TokenKeeper.shortestShare)
                return start.addingClamped((lifetime - margin).components.seconds)
            }
            return outcome
        }
    }
}

extension AccessToken {
    /// A hundred years: longer means for ever, whatever number a server chose.
    static let longestLifetime = Duration.seconds(3_155_760_000)
}

extension Int64 {
    /// The sum, or the greatest number instead of a greater one.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? .max : sum
    }
}

extension NetworkError {
    /// A provider took too long.
    fileprivate static func noToken(within limit: Duration) -> NetworkError {
        var error = NetworkError(
            .timeout, "the token provider gave no token within \(limit.inMessages)")
        error.timeout = .total
        return error
    }
}
