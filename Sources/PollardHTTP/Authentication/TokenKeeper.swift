// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Keeps the token of a provider, and gets another one once for all who need it.
final class TokenKeeper: Sendable {
    /// A token is taken for expired this much earlier, since it is checked when the request
    /// arrives: the time limit of a request by default.
    static let margin = Duration.seconds(30)
    /// A token of a short life is used for at least three quarters of it: parts of the lifetime.
    fileprivate static let shortestShare = 4

    fileprivate typealias Outcome = Result<AccessToken, NetworkError>

    fileprivate struct State {
        var token: AccessToken?
        /// Seconds since 1970; nil if it is good until it is refused.
        var expiry: Int64?
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
    ///   - now: Tells seconds since 1970.
    /// - Returns: The token that is kept, or a new one.
    /// - Throws: The provider's error, or `NetworkError.Code.cancelled` soon after the task is
    ///   cancelled, which does not disturb the others who wait.
    func token(
        replacing rejected: AccessToken? = nil, now: @escaping @Sendable () -> Int64
    ) async throws(NetworkError) -> AccessToken {
        if let token = usable(replacing: rejected, at: now()) { return token }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(id, $0, replacing: rejected, now: now) }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume(returning: .failure(.taskCancelled))
        }
        return try outcome.get()
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
            guard !state.isRefreshing else { return .wait }
            state.isRefreshing = true
            return .refresh
        }
        switch step {
        case .give(let outcome): continuation.resume(returning: outcome)
        case .refresh: Task.detached { await self.refresh(startedAt: time) }
        case .wait: break
        }
    }

    private func refresh(startedAt start: Int64) async {
        let outcome: Outcome
        do throws(NetworkError) {
            let token = try await provider.freshToken()
            // What can't be sent is told to everyone who waits, not to one request after another.
            try HTTPAuthentication.bearer(token.value).validate()
            outcome = .success(token)
        } catch {
            outcome = .failure(error)
        }
        let waiters = state.withLock { state in
            state.isRefreshing = false
            state.take(outcome, startedAt: start)
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}

extension TokenKeeper.State {
    fileprivate func usable(replacing rejected: AccessToken?, at now: Int64) -> AccessToken? {
        guard !isRefreshing, let token, token != rejected, expiry.map({ now < $0 }) ?? true
        else { return nil }
        return token
    }

    fileprivate mutating func take(
        _ outcome: Result<AccessToken, NetworkError>, startedAt start: Int64
    ) {
        switch outcome {
        case .failure: token = nil
        case .success(let new):
            token = new
            known = Array(([new.value] + known).prefix(2))
            expiry = new.lifetime.map { lifetime in
                let margin = min(TokenKeeper.margin, lifetime / TokenKeeper.shortestShare)
                return start + max(0, (lifetime - margin).components.seconds)
            }
        }
    }
}
