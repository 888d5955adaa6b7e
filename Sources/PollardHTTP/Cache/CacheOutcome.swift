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

/// The `Cache-Status` field that answers get.
enum CacheStatus {
    static let fieldName = "Cache-Status"
    static let name = "PollardHTTP"

    /// The stored answer as it is given out, with its age (RFC 9111, 4).
    static func answer(
        _ stored: StoredResponse, _ freshness: CacheFreshness, to request: HTTPRequest,
        _ outcome: CacheOutcome, _ parameters: [String]
    ) -> HTTPResponse {
        var response = stored.response
        response.fields["Age"] = String(freshness.age)
        response.url = request.url
        if request.method == .head { response.body = [] }
        return marked(response, outcome, parameters)
    }

    /// An answer with one more cache in its field.
    ///
    /// The outcome is kept beside it: any server can write such a field.
    static func marked(
        _ response: HTTPResponse, _ outcome: CacheOutcome, _ parameters: [String]
    ) -> HTTPResponse {
        var marked = response
        marked.cacheOutcome = outcome
        marked.fields.append(fieldName, ([name] + parameters).joined(separator: "; "))
        return marked
    }

    /// The answer to `only-if-cached` without one (RFC 9111, 5.2.1.7).
    static func refusal(of request: HTTPRequest) -> HTTPResponse {
        marked(
            HTTPResponse(status: 504, url: request.url), .refused, ["detail=only-if-cached"])
    }
}
