// SPDX-License-Identifier: Apache-2.0

/// The steps of a request that touch what is stored, each of them at once.
extension ResponseCache {
    /// A request to the origin that the cache asked for.
    struct Fetch: Sendable {
        /// Its number among those under way.
        let id: Int
        /// What is asked about, if something is stored.
        let stored: StoredResponse?
        /// Why it is sent.
        let reason: CacheForward
        /// The URL in the form of `CacheKey`.
        let url: String
    }

    /// What to do with a request.
    enum Step: Sendable {
        /// Give this answer; and let the fetch go on in the background, if there is one.
        case answer(HTTPResponse, background: Fetch?)
        /// Ask the origin.
        case fetch(Fetch)
        /// Wait for the request like it that is under way.
        case wait(Int)
        /// Send it past the cache.
        case pass(CacheForward)
    }

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - request: The request, without redirects.
    ///   - url: Its URL in the form of `CacheKey`.
    ///   - now: Seconds since 1970.
    ///   - mayWait: Whether it may wait for another.
    /// - Returns: What to do with it.
    func step(
        for request: HTTPRequest, url: String, now: Int64, mayWait: Bool
    ) -> Step {
        let decision = CacheDecision(
            for: request, stored: tiers.stored(for: url), now: now, policy: policy)
        switch decision {
        case .refuse:
            return .answer(CacheStatus.refusal(of: request), background: nil)
        case .forward(let reason) where reason == .bypass || reason == .method:
            return .pass(reason)
        case .forward(let reason):
            return fetch(request, url, nil, reason, mayWait: mayWait)
        case .validate(let stored, let reason):
            return fetch(request, url, stored, reason, mayWait: mayWait)
        case .reuse(let stored, let freshness, let revalidates):
            tiers.noteUse(of: stored)
            let outcome = revalidates ? CacheOutcome.staleWhileRevalidate : .hit
            tiers.note(outcome)
            var parameters = ["hit", "ttl=\(freshness.remaining)"]
            if revalidates { parameters.append("detail=stale-while-revalidate") }
            let response = CacheStatus.answer(
                stored, freshness, to: request, outcome, parameters)
            // One at a time asks in the background.
            let isAlone = revalidates && flights.flight(like: request) == nil
            let background =
                isAlone
                ? Fetch(
                    id: flights.begin(request, url: url), stored: stored, reason: .stale, url: url)
                : nil
            return .answer(response, background: background)
        }
    }

    private func fetch(
        _ request: HTTPRequest, _ url: String, _ stored: StoredResponse?, _ reason: CacheForward,
        mayWait: Bool
    ) -> Step {
        if mayWait, request.method == .get, let id = flights.flight(like: request) {
            return .wait(id)
        }
        return .fetch(
            Fetch(
                id: flights.begin(request, url: url), stored: stored, reason: reason, url: url))
    }

    /// Waits for the end of another's request, as long as the time of the waiting one lasts.
    func end(of id: Int, within limit: Duration) async -> CacheFlights.End {
        let waiter = flights.nextWaiter()
        let timer = Task {
            // Without the sleep, the wait is over already.
            guard (try? await Task.sleep(for: .nanoseconds(limit.nanoseconds))) != nil else {
                return
            }
            stopWaiting(waiter, of: id, .timeIsUp)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(returning: .cancelled)
                    return
                }
                flights.wait(id, as: waiter, continuation)
            }
        } onCancel: {
            Task { await self.stopWaiting(waiter, of: id, .cancelled) }
        }
    }

    private func stopWaiting(_ waiter: Int, of id: Int, _ end: CacheFlights.End) {
        flights.stopWaiting(waiter, of: id, end)
    }

    /// Ends a request, for those who wait for it.
    func end(_ fetch: Fetch, _ end: CacheFlights.End) { flights.end(fetch.id, end) }

    /// Takes the confirmation of what is stored (304).
    ///
    /// - Returns: The answer; nil if the confirmation is about something else.
    func confirm(
        _ fetch: Fetch, _ stored: StoredResponse, _ answer: HTTPResponse, to request: HTTPRequest,
        requestTime: Int64, responseTime: Int64
    ) -> HTTPResponse? {
        guard
            let updated = CacheValidation.updated(
                stored, by: answer, requestTime: requestTime, responseTime: responseTime)
        else {
            tiers.remove(CacheEntryKey(stored))
            return nil
        }
        replace(fetch, stored, by: updated)
        tiers.note(.revalidated)
        let freshness = CacheFreshness(
            updated, now: responseTime, heuristicLimit: policy.heuristicSeconds)
        var response = CacheStatus.answer(
            updated, freshness, to: request, .revalidated,
            ["fwd=\(fetch.reason.rawValue)", "fwd-status=304"])
        response.timing = answer.timing
        response.remoteAddress = answer.remoteAddress
        response.certificateExpiry = answer.certificateExpiry
        return response
    }

    /// Stores what is known since a validation, or removes it if it may be kept no longer.
    private func replace(_ fetch: Fetch, _ stored: StoredResponse, by updated: StoredResponse) {
        guard flights.mayStore(fetch.id) else { return }
        if CacheControl(updated.response.fields).has("no-store") {
            tiers.remove(CacheEntryKey(stored))
        } else {
            tiers.insert(updated)
        }
    }

    /// Takes a complete answer of the origin, and stores it if it may be.
    func take(
        _ fetch: Fetch, _ answer: HTTPResponse, to request: HTTPRequest, requestTime: Int64,
        responseTime: Int64
    ) -> HTTPResponse {
        tiers.note(.miss)
        let isStored =
            request.method == .head
            ? learn(fetch, answer, requestTime: requestTime, responseTime: responseTime)
            : store(fetch, answer, to: request, requestTime, responseTime)
        var parameters = ["fwd=\(fetch.reason.rawValue)", "fwd-status=\(answer.status)"]
        if isStored { parameters.append("stored") }
        return CacheStatus.marked(answer, .miss, parameters)
    }

    private func store(
        _ fetch: Fetch, _ answer: HTTPResponse, to request: HTTPRequest, _ requestTime: Int64,
        _ responseTime: Int64
    ) -> Bool {
        let new = CacheStorage.stored(
            answer, to: request, requestTime: requestTime, responseTime: responseTime,
            policy: policy)
        // What was asked about is outdated by a success, also by one that may not be stored.
        if let old = fetch.stored, answer.status < 400 { tiers.remove(CacheEntryKey(old)) }
        guard let new, flights.mayStore(fetch.id) else { return false }
        tiers.insert(new)
        return true
    }

    /// Takes what HEAD says about the stored answer to GET.
    private func learn(
        _ fetch: Fetch, _ answer: HTTPResponse, requestTime: Int64, responseTime: Int64
    ) -> Bool {
        guard let stored = fetch.stored, answer.status == 200 else { return false }
        guard
            let updated = CacheValidation.updated(
                stored, byHead: answer, requestTime: requestTime, responseTime: responseTime)
        else {
            tiers.remove(CacheEntryKey(stored))
            return false
        }
        replace(fetch, stored, by: updated)
        return true
    }

    /// The stored answer that may stand in for a failure; nil if none may.
    func standIn(
        for fetch: Fetch, _ request: HTTPRequest, status: Int?, now: Int64
    ) -> HTTPResponse? {
        guard let stored = fetch.stored else { return nil }
        let freshness = CacheFreshness(stored, now: now, heuristicLimit: policy.heuristicSeconds)
        guard CacheDecision.mayUse(stored, freshness, insteadOfFailureOf: request) else {
            return nil
        }
        tiers.note(.staleIfError)
        var parameters = ["fwd=\(fetch.reason.rawValue)"]
        if let status { parameters.append("fwd-status=\(status)") }
        return CacheStatus.answer(
            stored, freshness, to: request, .staleIfError, parameters + ["detail=stale-if-error"])
    }

    /// Removes what is stored for these URLs, and what is about to be.
    func invalidate(_ urls: [String]) {
        flights.taint(Set(urls))
        for url in urls { tiers.remove(url: url) }
    }

    /// Keeps an error of the background.
    func note(_ error: NetworkError) { tiers.note(error) }
}
