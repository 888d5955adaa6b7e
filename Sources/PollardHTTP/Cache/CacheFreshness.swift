// SPDX-License-Identifier: Apache-2.0

/// How old a stored answer is and how old it may become (RFC 9111, 4.2), in seconds.
struct CacheFreshness: Sendable, Hashable {
    /// The time since the origin made or validated the answer.
    let age: Int64
    /// The age up to which it is fresh.
    let lifetime: Int64
    /// Whether nobody said how long it is fresh.
    let isHeuristic: Bool

    /// Whether it may be used without asking.
    var isFresh: Bool { lifetime > age }
    /// The seconds that it stays fresh; negative once it is stale.
    var remaining: Int64 { lifetime - age }

    /// Status codes that may be kept without a word about freshness (RFC 9110, 15.1).
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// Calculates both.
    ///
    /// - Parameters:
    ///   - stored: The answer.
    ///   - now: Seconds since 1970.
    ///   - heuristicLimit: The longest lifetime that is guessed, in seconds; 0 guesses none.
    init(_ stored: StoredResponse, now: Int64, heuristicLimit: Int64) {
        age = Self.age(of: stored, now: now)
        let fields = stored.response.fields
        let date = Self.date(of: stored)
        if let explicit = Self.explicitLifetime(
            fields, stored.control, date: date, now: stored.responseTime)
        {
            (lifetime, isHeuristic) = (explicit, false)
        } else {
            lifetime = Self.heuristicLifetime(stored, date: date, limit: heuristicLimit)
            isHeuristic = true
        }
    }

    /// Max-age, or Expires less Date (4.2.1); nil if there is neither.
    private static func explicitLifetime(
        _ fields: HTTPFields, _ control: CacheControl, date: Int64, now: Int64
    ) -> Int64? {
        if let maximum = control.seconds("max-age") { return maximum }
        let lines = Set(fields[values: "Expires"])
        guard let text = lines.first else { return nil }
        guard lines.count == 1, let expires = CacheDate.seconds(text, now: now) else { return 0 }
        return max(0, expires - date)
    }

    /// A tenth of the time that it was unchanged (4.2.2).
    private static func heuristicLifetime(
        _ stored: StoredResponse, date: Int64, limit: Int64
    ) -> Int64 {
        guard
            heuristicStatuses.contains(stored.response.status) || stored.control.has("public"),
            let modified = stored.response.fields["Last-Modified"]
                .flatMap({ CacheDate.seconds($0, now: date) })
        else { return 0 }
        return min(max(0, date - modified) / 10, limit)
    }

    /// The arithmetic of 4.2.3; a clock that was set back makes nothing younger than it came.
    private static func age(of stored: StoredResponse, now: Int64) -> Int64 {
        let apparent = max(0, stored.responseTime - date(of: stored))
        let delay = max(0, stored.responseTime - stored.requestTime)
        let corrected = ageField(stored.response.fields) + delay
        return max(apparent, corrected) + max(0, now - stored.responseTime)
    }

    /// The first value of Age (5.1); what is no number counts as none.
    private static func ageField(_ fields: HTTPFields) -> Int64 {
        let first = fields["Age"]?.split(separator: ",").first.map { String($0).trimmed }
        return first.flatMap { Seconds.parse($0) } ?? 0
    }

    /// When the origin made it; when it was received, if it doesn't say.
    private static func date(of stored: StoredResponse) -> Int64 {
        stored.response.fields["Date"].flatMap { CacheDate.seconds($0, now: stored.responseTime) }
            ?? stored.responseTime
    }
}
