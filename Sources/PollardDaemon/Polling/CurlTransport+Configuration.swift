// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP

extension CurlTransport {
    /// Starts the transport that a configuration asks for.
    ///
    /// - Throws: `CommandFailure` if the system has no resources for it.
    convenience init(
        for configuration: PollardCore.Configuration
    ) throws(CommandFailure) {
        var options = Configuration()
        options.limits = Limits(for: configuration)
        do throws(NetworkError) {
            try self.init(configuration: options)
        } catch {
            throw CommandFailure(.unavailable, "cannot start the HTTP client: \(error)")
        }
    }
}

extension CurlTransport.Limits {
    /// The limits that a configuration asks for.
    init(for configuration: Configuration) {
        self.init()
        maximumConcurrentRequests = configuration.limits.concurrency
        maximumPerOrigin = configuration.limits.perHost
        maximumRatePerOrigin = configuration.limits.perHostRate.map {
            RequestRate($0.count, per: $0.period)
        }
        // A connection is kept between two polls only if it may grow older than the interval.
        let longest = configuration.endpoints.map(\.interval).max() ?? .zero
        maximumConnectionAge = max(maximumConnectionAge, longest * 2)
        // Room for more than are kept on purpose: to replace one by another is slow.
        keptConnections = 2 * KeptConnections.maximumHosts
    }
}
