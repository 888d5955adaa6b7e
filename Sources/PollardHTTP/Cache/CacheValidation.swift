// SPDX-License-Identifier: Apache-2.0

/// Validating what is stored, and what is learnt from the answer: pure (RFC 9111, 4.3).
enum CacheValidation {
    /// The request that asks whether `stored` still holds (4.3.1); nil if it has no validator.
    static func request(_ request: HTTPRequest, for stored: StoredResponse) -> HTTPRequest? {
        let fields = stored.response.fields
        let (tag, date) = (fields["ETag"], fields["Last-Modified"])
        guard tag != nil || date != nil else { return nil }
        var conditional = request
        if let tag { conditional.fields["If-None-Match"] = tag }
        if let date { conditional.fields["If-Modified-Since"] = date }
        return conditional
    }

    /// What is stored from then on after 304 (3.2); nil if it is about another answer (4.3.4).
    static func updated(
        _ stored: StoredResponse, by answer: HTTPResponse, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse? {
        if let tag = answer.fields["ETag"], !tag.hasPrefix("W/"),
            tag != stored.response.fields["ETag"]
        {
            return nil
        }
        var updated = stored
        update(&updated.response.fields, by: answer.fields)
        updated.requestTime = requestTime
        updated.responseTime = responseTime
        updated.isInvalid = false
        return updated
    }

    /// What is stored from then on after 200 to HEAD (4.3.5); nil if that shows another content.
    static func updated(
        _ stored: StoredResponse, byHead answer: HTTPResponse, requestTime: Int64,
        responseTime: Int64
    ) -> StoredResponse? {
        let isSame = ["ETag", "Last-Modified", "Content-Length"].allSatisfy { name in
            guard let new = answer.fields[name], let old = stored.response.fields[name] else {
                return answer.fields[name] == nil || name == "Content-Length"
            }
            return new == old
        }
        guard isSame else { return nil }
        var updated = stored
        update(&updated.response.fields, by: answer.fields)
        updated.requestTime = requestTime
        updated.responseTime = responseTime
        return updated
    }

    /// Replaces fields by those of the same name, but for what describes the stored bytes (3.2).
    private static func update(_ fields: inout HTTPFields, by new: HTTPFields) {
        let new = CacheStorage.storable(new)
        let replaced = Set(new.lines.map { $0.name.lowercased() }).subtracting(contentFields)
        // An Age of before would be counted again.
        fields.removeAll { replaced.contains($0.lowercased()) || $0.lowercased() == "age" }
        for line in new.lines where replaced.contains(line.name.lowercased()) {
            fields.append(line.name, line.value)
        }
    }

    private static let contentFields: Set<String> = [
        "content-length", "content-encoding", "content-range",
    ]

    /// The URLs whose stored answers an unsafe request has made void (4.4): its own, and those
    /// that the answer names at the same origin.
    static func invalidated(by request: HTTPRequest, _ answer: HTTPResponse) -> [String] {
        guard !safeMethods.contains(request.method.rawValue), (200..<400).contains(answer.status),
            let base = try? RequestURL(request.url)
        else { return [] }
        let named = ["Location", "Content-Location"].compactMap { answer.fields[$0] }
            .compactMap { try? RequestURL(location: $0, from: base) }
            .filter { $0.origin == base.origin }
        return ([base] + named).compactMap { try? CacheKey.url(of: $0.text) }
    }

    /// Methods that change nothing (RFC 9110, 9.2.1); an unknown one may.
    private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]
}
