// SPDX-License-Identifier: Apache-2.0

/// How a cache came to an answer, as its `Cache-Status` field says (RFC 9211).
///
/// ```swift
/// let response = try await client.response(for: .path("/people"))
/// if response.cacheOutcome == .hit { print("not asked again") }
/// ```
public enum CacheOutcome: Sendable, Hashable {
    /// Nothing was sent: the stored answer was fresh, or the request accepts a stale one.
    case hit
    /// Nothing was waited for: a stale answer was given, and the origin asked in the background.
    case staleWhileRevalidate
    /// The origin said that the stored answer still holds (304).
    case revalidated
    /// The origin failed, and a stale answer was given instead.
    case staleIfError
    /// The origin gave the answer.
    case miss
    /// Nothing was stored, and the request was not to be sent (`only-if-cached`).
    case refused
}

extension HTTPResponse {
    /// How the cache of this process came to the answer; nil without a cache.
    public var cacheOutcome: CacheOutcome? {
        // Other caches on the way have added theirs; ours is the last.
        guard
            let member = fields[values: CacheStatus.fieldName].last?
                .splitOutsideQuotes(at: ",").last
        else { return nil }
        let parts = member.splitOutsideQuotes(at: ";")
        guard parts.first == CacheStatus.name else { return nil }
        if parts.contains("detail=stale-while-revalidate") { return .staleWhileRevalidate }
        if parts.contains("detail=stale-if-error") { return .staleIfError }
        if parts.contains("detail=only-if-cached") { return .refused }
        if parts.contains("hit") { return .hit }
        return parts.contains("fwd-status=304") ? .revalidated : .miss
    }
}

/// The `Cache-Status` field that answers get.
enum CacheStatus {
    static let fieldName = "Cache-Status"
    static let name = "PollardHTTP"

    /// The stored answer as it is given out, with its age (RFC 9111, 4).
    static func answer(
        _ stored: StoredResponse, _ freshness: CacheFreshness, to request: HTTPRequest,
        _ parameters: [String]
    ) -> HTTPResponse {
        var response = stored.response
        response.fields["Age"] = String(freshness.age)
        response.url = request.url
        if request.method == .head { response.body = [] }
        return marked(response, parameters)
    }

    /// An answer with one more cache in its field.
    static func marked(_ response: HTTPResponse, _ parameters: [String]) -> HTTPResponse {
        var marked = response
        marked.fields.append(fieldName, ([name] + parameters).joined(separator: "; "))
        return marked
    }

    /// The answer to `only-if-cached` without one (RFC 9111, 5.2.1.7).
    static func refusal(of request: HTTPRequest) -> HTTPResponse {
        marked(HTTPResponse(status: 504, url: request.url), ["detail=only-if-cached"])
    }
}
