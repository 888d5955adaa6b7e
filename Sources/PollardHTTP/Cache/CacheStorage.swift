// SPDX-License-Identifier: Apache-2.0

/// Which answers are stored, and in which form: pure decisions (RFC 9111, 3).
enum CacheStorage {
    /// Status codes whose meaning for caching is known here; `must-understand` is about them.
    private static let understood = CacheFreshness.heuristicStatuses.union([302, 303, 307])

    /// Makes the form in which an answer is stored; nil if it is not, or would be of no use.
    ///
    /// - Parameters:
    ///   - response: The answer to `request` itself, no redirect followed.
    ///   - request: A request with GET.
    ///   - requestTime: When it was sent, in seconds since 1970.
    ///   - responseTime: When the answer came.
    ///   - policy: What the cache guesses.
    /// - Returns: What is stored.
    static func stored(
        _ response: HTTPResponse, to request: HTTPRequest, requestTime: Int64,
        responseTime: Int64, policy: CachePolicy
    ) -> StoredResponse? {
        let control = CacheControl(response.fields)
        guard request.method == .get, !CacheControl(request.fields).has("no-store"),
            allowsStoring(response.status, control),
            let selecting = CacheKey.selecting(request, for: response.fields),
            let url = try? CacheKey.url(of: request.url)
        else { return nil }
        var kept = response
        kept.fields = storable(response.fields)
        // What describes the exchange and not the answer.
        kept.timing = HTTPTiming()
        kept.remoteAddress = nil
        kept.certificateExpiry = nil
        kept.cacheOutcome = nil
        let stored = StoredResponse(
            url: url, selecting: selecting, credentials: CacheKey.credentials(of: request),
            response: kept, requestTime: requestTime,
            responseTime: responseTime)
        return isUseful(stored, control, policy) ? stored : nil
    }

    private static func allowsStoring(_ status: Int, _ control: CacheControl) -> Bool {
        // Parts are not combined, and 304 is about another answer.
        guard (200...599).contains(status), status != 206, status != 304 else { return false }
        // Then no-store is for caches that don't know the status (5.2.2.3).
        if control.has("must-understand") { return understood.contains(status) }
        return !control.has("no-store")
    }

    /// Whether any request could be answered by it later.
    private static func isUseful(
        _ stored: StoredResponse, _ control: CacheControl, _ policy: CachePolicy
    ) -> Bool {
        let fields = stored.response.fields
        let freshness = CacheFreshness(
            stored, now: stored.responseTime, heuristicLimit: policy.heuristicSeconds)
        if freshness.lifetime > 0 || control.has("stale-if-error") { return true }
        let mayBeKept =
            fields["Expires"] != nil || control.has("max-age") || control.has("public")
            || control.has("private") || control.has("no-cache")
            || CacheFreshness.heuristicStatuses.contains(stored.response.status)
        return mayBeKept && (fields["ETag"] != nil || fields["Last-Modified"] != nil)
    }

    /// The fields without those of one connection (3.1), of this cache, and those that may not be
    /// used without validation (`no-cache="a"`, 5.2.2.4).
    static func storable(_ fields: HTTPFields) -> HTTPFields {
        let listed = fields[values: "Connection"].flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed.lowercased() }
        let dropped = connectionFields.union(listed)
            .union(CacheControl(fields).fieldNames("no-cache"))
        var kept = fields
        kept.removeAll { dropped.contains($0.lowercased()) }
        return kept
    }

    private static let connectionFields: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}

/// What a cache decides where the RFC leaves it to it.
struct CachePolicy: Sendable, Hashable {
    /// The longest lifetime that is guessed from Last-Modified, in seconds; 0 guesses none.
    var heuristicSeconds: Int64
}
