// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// Which hosts' connections are kept between polls: those that are polled most often, if there are
/// more hosts than connections worth keeping.
struct KeptConnections: Sendable, Equatable {
    /// The most hosts whose connections are kept.
    ///
    /// libcurl asks the kernel about each kept connection once a second, and searches all of them to
    /// replace one: with 10,000 hosts that holds up all transfers for 70 ms each second, where a new
    /// connection for each poll costs next to nothing. An idle TLS connection takes 47 kB, too.
    static let maximumHosts = 1024

    /// Nil for all.
    private let origins: Set<URLOrigin>?

    /// Keeps every connection.
    init() { origins = nil }

    /// Chooses among the hosts of `endpoints`.
    init(for endpoints: [EndpointConfiguration], maximumHosts: Int = Self.maximumHosts) {
        var intervals: [URLOrigin: Duration] = [:]
        for endpoint in endpoints where endpoint.isEnabled {
            let interval = endpoint.interval
            intervals[URLOrigin(of: endpoint.request.url), default: interval].lower(to: interval)
        }
        guard intervals.count > maximumHosts else {
            origins = nil
            return
        }
        let busiest = intervals.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        origins = Set(busiest.prefix(maximumHosts).map(\.key))
    }

    /// Whether the connection of a request to `url` is kept.
    func includes(url: String) -> Bool { origins?.contains(URLOrigin(of: url)) ?? true }
}

extension Duration {
    fileprivate mutating func lower(to other: Duration) { self = min(self, other) }
}
