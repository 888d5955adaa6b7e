// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP

/// Fetches endpoints through the HTTP client library.
struct HTTPFetcher: Fetching {
    let transport: CurlTransport

    static func transport(for configuration: Configuration) throws(CommandFailure) -> CurlTransport
    {
        do throws(NetworkError) {
            var options = CurlTransport.Configuration()
            options.maximumConcurrentRequests = configuration.limits.concurrency
            options.maximumPerOrigin = configuration.limits.perHost
            return try CurlTransport(configuration: options)
        } catch {
            throw CommandFailure(.unavailable, "cannot start the HTTP client: \(error)")
        }
    }

    func fetch(
        _ endpoint: EndpointConfiguration, validators: Validators
    ) async throws(PollFailure) -> Answer {
        throw PollFailure(kind: .connect, message: "x")
    }
}
