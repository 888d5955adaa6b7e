// SPDX-License-Identifier: Apache-2.0

/// What a cache does with a request, given what it holds: a value, made without effects.
enum CacheDecision: Sendable, Hashable {
    /// Answer with what is stored; `revalidates` asks the origin in the background besides.
    case reuse(StoredResponse, CacheFreshness, revalidates: Bool)
    /// Ask the origin whether it still holds.
    case validate(StoredResponse, CacheForward)
    /// Send the request as it is.
    case forward(CacheForward)
    /// Answer 504: nothing usable is stored, and nothing may be sent (`only-if-cached`).
    case refuse

    /// Decides.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stored: What is stored for its URL: all variants.
    ///   - now: Seconds since 1970.
    ///   - policy: What the cache guesses.
    init(for request: HTTPRequest, stored: [StoredResponse], now: Int64, policy: CachePolicy) {
        let control = CacheControl(request.fields)
        guard request.method == .get || request.method == .head else {
            self = .forward(.method)
            return
        }
        let isOffline = control.has("only-if-cached")
        guard !Self.isBypassing(request, control) else {
            self = isOffline ? .refuse : .forward(.bypass)
            return
        }
        let credentials = CacheKey.credentials(of: request)
        let variants = stored.filter {
            CacheKey.selects($0, request, credentials: credentials)
        }
        // The most recent one (RFC 9111, 4.1).
        guard let chosen = variants.max(by: { $0.responseTime < $1.responseTime }) else {
            self = isOffline ? .refuse : .forward(stored.isEmpty ? .uriMiss : .varyMiss)
            return
        }
        let freshness = CacheFreshness(chosen, now: now, heuristicLimit: policy.heuristicSeconds)
        let use = Self.use(of: chosen, freshness, control)
        switch use {
        case .fresh: self = .reuse(chosen, freshness, revalidates: false)
        case .staleWhileRevalidate:
            self = .reuse(chosen, freshness, revalidates: !isOffline)
        case .not(let reason):
            self = isOffline ? .refuse : .validate(chosen, reason)
        }
    }

    private enum Use {
        case fresh, staleWhileRevalidate
        case not(CacheForward)
    }

    /// Whether a stored answer satisfies a request (RFC 9111, 4 and 5.2.1).
    private static func use(
        of stored: StoredResponse, _ freshness: CacheFreshness, _ request: CacheControl
    ) -> Use {
        let answer = stored.control
        if stored.isInvalid || answer.isPlain("no-cache") { return .not(.stale) }
        if request.has("no-cache") { return .not(.request) }
        // A reload asks nothing new of what never changes while it is fresh (RFC 8246). Ages are
        // whole seconds, rounded down: one that equals the limit may be above it.
        let isFixed = answer.has("immutable") && freshness.isFresh
        if !isFixed, let maximum = request.seconds("max-age"), freshness.age >= maximum {
            return .not(freshness.isFresh ? .request : .stale)
        }
        if freshness.isFresh {
            let least = request.seconds("min-fresh") ?? 0
            return freshness.remaining >= least ? .fresh : .not(.request)
        }
        guard !answer.has("must-revalidate") else { return .not(.stale) }
        if request.isPlain("max-stale") { return .fresh }
        if let most = request.seconds("max-stale"), -freshness.remaining <= most { return .fresh }
        // Seconds of one clock: what became stale by a part of one is at most one more.
        if let window = answer.seconds("stale-while-revalidate"), -freshness.remaining < window {
            return .staleWhileRevalidate
        }
        return .not(.stale)
    }

    /// Whether a stale answer may stand in for a failure (RFC 5861, 4).
    static func mayUse(
        _ stored: StoredResponse, _ freshness: CacheFreshness,
        insteadOfFailureOf request: HTTPRequest
    ) -> Bool {
        let answer = stored.control
        let control = CacheControl(request.fields)
        guard !stored.isInvalid, !answer.has("must-revalidate"), !answer.isPlain("no-cache"),
            !control.has("no-cache")
        else { return false }
        let window = control.seconds("stale-if-error") ?? answer.seconds("stale-if-error")
        return window.map { -freshness.remaining <= $0 } ?? false
    }

    /// Requests whose answer depends on more than the cache looks at.
    private static func isBypassing(_ request: HTTPRequest, _ control: CacheControl) -> Bool {
        control.has("no-store") || request.body != nil
            || conditions.contains { request.fields[$0] != nil }
    }

    /// Ranges, and validators of the caller's own, who then has a cache himself.
    private static let conditions = [
        "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
        "If-Range",
    ]
}

/// Why a request went to the origin, as RFC 9211, 2.2 has it.
enum CacheForward: String, Sendable {
    /// It was not to be answered from the cache.
    case bypass
    /// The method is not cached.
    case method
    /// Nothing is stored for the URL.
    case uriMiss = "uri-miss"
    /// What is stored was selected by other fields.
    case varyMiss = "vary-miss"
    /// The request's directives ask for something newer.
    case request
    /// What is stored is stale, or must be validated.
    case stale
}
