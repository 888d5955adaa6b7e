// SPDX-License-Identifier: Apache-2.0

/// When the certificate at the end of each route expires, as its last handshake showed.
///
/// libcurl tells the certificate only to the request that made the handshake. A connection that
/// is always reused would hide a renewed certificate for ever, so once a day it is made anew.
struct CertificateExpiries: Sendable {
    /// The time after which a handshake shows the certificate again, in nanoseconds: one day.
    static let checkInterval: Int64 = 86_400_000_000_000
    /// The most origins kept: redirects could name any number of them.
    static let maximumCount = 65_536

    private struct Entry {
        var expiry: Int64
        var seenAt: Int64
    }

    private var entries: [Route: Entry] = [:]

    /// Makes an empty list.
    init() {}

    /// The expiry last seen, in seconds since 1970.
    subscript(route: Route) -> Int64? { entries[route]?.expiry }

    /// Notes what a handshake showed at `now`, in nanoseconds.
    mutating func note(_ expiry: Int64, of route: Route, now: Int64) {
        if entries[route] == nil, entries.count >= Self.maximumCount { entries.removeAll() }
        entries[route] = Entry(expiry: expiry, seenAt: now)
    }

    /// Whether the next request should make a new connection; true for one request a day.
    mutating func isCheckDue(of route: Route, now: Int64) -> Bool {
        guard let entry = entries[route], now - entry.seenAt >= Self.checkInterval else {
            return false
        }
        entries[route]?.seenAt = now
        return true
    }

    /// Seconds since 1970 of a date as OpenSSL prints it: `Nov 30 07:40:31 2027 GMT`.
    static func seconds(of text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 5, words[4] == "GMT",
            let day = Int64(words[1]), let year = Int64(words[3]),
            let date = CivilDate(year: year, month: words[0], day: day)
        else { return nil }
        let clock = words[2].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3 else { return nil }
        return ((date.daysSince1970 * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2]
    }
}
