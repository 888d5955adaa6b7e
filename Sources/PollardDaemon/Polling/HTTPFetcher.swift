// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP
internal import Synchronization

/// Fetches endpoints through the HTTP client.
final class HTTPFetcher: Fetching {
    /// A request without validators, and what it was made from.
    private struct Prepared {
        var configuration: RequestConfiguration
        var request: HTTPRequest
    }

    private struct State {
        /// Made at the first poll of each endpoint: to check and encode a URL takes as long as to
        /// compare a body.
        var prepared: [EndpointName: Prepared] = [:]
        /// Which connections are used for later polls too.
        var keptConnections: KeptConnections
    }

    private let client: NetworkManager
    private let state: Mutex<State>

    /// - Parameters:
    ///   - transport: What sends the requests.
    ///   - keptConnections: Which connections are used for later polls too.
    init(transport: some HTTPTransport, keptConnections: KeptConnections = KeptConnections()) {
        client = NetworkManager(transport: transport)
        state = Mutex(State(keptConnections: keptConnections))
    }

    /// Changes which connections are used for later polls too.
    func keep(_ connections: KeptConnections) {
        state.withLock { state in
            guard state.keptConnections != connections else { return }
            state = State(keptConnections: connections)
        }
    }

    func fetch(
        _ endpoint: EndpointConfiguration, validators: Validators
    ) async throws(PollFailure) -> Answer {
        do throws(NetworkError) {
            let request = try request(for: endpoint, validators: validators)
            let response = try await client.response(
                to: request, retry: RetryPolicy(endpoint.retry))
            return Answer(response)
        } catch {
            throw PollFailure(error, host: URLOrigin(of: endpoint.request.url).host)
        }
    }

    func forget(_ name: EndpointName) { state.withLock { $0.prepared[name] = nil } }

    /// The endpoints of which a request is kept.
    var preparedNames: Set<EndpointName> { state.withLock { Set($0.prepared.keys) } }

    private func request(
        for endpoint: EndpointConfiguration, validators: Validators
    ) throws(NetworkError) -> HTTPRequest {
        let (known, connections) = state.withLock {
            ($0.prepared[endpoint.name], $0.keptConnections)
        }
        var request: HTTPRequest
        if let known, known.configuration == endpoint.request {
            request = known.request
        } else {
            request = try client.request(for: ConfiguredEndpoint(endpoint))
            request.keepsConnection = connections.includes(url: endpoint.request.url)
            let new = Prepared(configuration: endpoint.request, request: request)
            state.withLock { state in
                // A reload meanwhile may have decided otherwise.
                guard state.keptConnections == connections else { return }
                state.prepared[endpoint.name] = new
            }
        }
        request.makeConditional(validators)
        return request
    }
}

extension HTTPRequest {
    /// Adds the fields of a conditional request (RFC 9110, 13.1).
    fileprivate mutating func makeConditional(_ validators: Validators) {
        if let tag = validators.entityTag { fields["If-None-Match"] = tag }
        if let date = validators.lastModified { fields["If-Modified-Since"] = date }
    }
}

extension Answer {
    fileprivate init(_ response: HTTPResponse) {
        self.init(
            status: response.status, contentType: response.fields["Content-Type"],
            body: response.body,
            validators: Validators(
                entityTag: response.fields["ETag"],
                lastModified: response.fields["Last-Modified"]))
        reason = response.reasonPhrase
        attempts = response.attempts
        timing = PhaseTiming(response.timing, total: response.elapsed)
        version = response.version
        remoteAddress = response.remoteAddress
        certificateExpiry = response.certificateExpiry.map {
            Timestamp(microseconds: $0 * 1_000_000)
        }
    }
}

extension PhaseTiming {
    fileprivate init(_ timing: HTTPTiming, total: Duration) {
        self.init()
        nameLookup = timing.nameLookup
        connect = timing.connect
        tls = timing.tls
        firstByte = timing.firstByte
        self.total = total
    }
}

extension PollFailure {
    fileprivate init(_ error: NetworkError, host: String) {
        var error = error
        error.nameLimitAsConfigured()
        self.init(kind: Kind(error.code), message: "\(error)", status: error.response?.status)
        if let phase = Phase(error, host: host) { self.phase = phase }
        isHostSilent = error.isHostSilent
        isCancelled = error.code == .cancelled
        attempts = error.attempts
        timing = PhaseTiming(error.timing, total: error.elapsed)
    }
}

extension NetworkError {
    /// Names the limit to raise as the configuration does; not all can be configured.
    fileprivate mutating func nameLimitAsConfigured() {
        switch code {
        case .bodyTooLarge: hint = "raise 'max_body' if that is to be expected"
        case .headersTooLarge: hint = nil
        case .tooManyRedirects: hint = "look for a loop"
        default: break
        }
    }
}

extension PollFailure.Phase {
    /// How far a request came before it failed; nil if its code alone says that.
    fileprivate init?(_ error: NetworkError, host: String) {
        switch error.code {
        case .timeout, .connectionLost, .invalidResponse: break
        case .headersTooLarge:
            self = .answer
            return
        default: return nil
        }
        if error.timeout == .connect {
            // A lookup that was completed has a time; an address needs none.
            let isFound = error.timing.nameLookup != nil || Self.isAddress(host)
            self = error.remoteAddress != nil ? .tls : isFound ? .connect : .lookup
        } else {
            self = error.response == nil ? .answer : .body
        }
    }

    private static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    }
}

extension PollFailure.Kind {
    fileprivate init(_ code: NetworkError.Code) {
        self =
            switch code {
            case .nameLookup: .dns
            case .tls: .tls
            case .timeout: .timeout
            case .bodyTooLarge, .headersTooLarge, .invalidResponse, .connectionLost: .body
            case .tooManyRedirects: .status
            default: .connect
            }
    }
}
