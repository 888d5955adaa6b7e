// SPDX-License-Identifier: Apache-2.0

/// Bounds the name lookups that nobody waits for any more: a value, without clock or threads.
///
/// A lookup can't be stopped: when its request ends early, its thread lives on until the resolver
/// gives up. With a dead name server each request would leave one. So once many are left, only
/// hosts whose name was found the last time are looked up; others fail at once.
struct LookupBudget: Sendable {
    /// The most lookups left behind before others are refused: a thread and a socket each.
    static let maximumAbandoned = 64
    /// How long a lookup may outlive its request, in nanoseconds: 3 name servers, 2 attempts, 5 s
    /// each (resolv.conf(5)).
    static let resolverPatience: Int64 = 30_000_000_000
    /// The most hosts remembered: redirects could name any number of them.
    static let maximumHosts = 65_536

    /// When each lookup was left behind, oldest first.
    private var abandoned: [Int64] = []
    private var foundHosts: Set<String> = []

    /// Makes a budget of which nothing is used.
    init() {}

    /// Whether `host` may be looked up at `now`, in nanoseconds.
    mutating func allows(_ host: String, now: Int64) -> Bool {
        guard abandoned.count >= Self.maximumAbandoned else { return true }
        abandoned.removeAll { now - $0 >= Self.resolverPatience }
        return abandoned.count < Self.maximumAbandoned || foundHosts.contains(host)
    }

    /// Notes that the name of `host` has an address.
    mutating func noteFound(_ host: String) {
        guard !foundHosts.contains(host) else { return }
        if foundHosts.count >= Self.maximumHosts { foundHosts.removeAll() }
        foundHosts.insert(host)
    }

    /// Notes that a request ended at `now` while the name of its host was looked up.
    mutating func noteAbandoned(_ host: String, now: Int64) {
        foundHosts.remove(host)
        abandoned.append(now)
    }
}

extension NetworkError {
    /// Too many lookups are left without an answer.
    static func lookupRefused(_ host: String) -> NetworkError {
        NetworkError(
            .nameLookup,
            "the name '\(host)' is not looked up while \(LookupBudget.maximumAbandoned) other "
                + "lookups are without an answer; check the name server")
    }
}
