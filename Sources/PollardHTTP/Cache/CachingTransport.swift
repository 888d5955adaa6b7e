// SPDX-License-Identifier: Apache-2.0

/// A transport that answers from a cache where it may, and else sends with another transport.
///
/// ```swift
/// let cached = CachingTransport(try CurlTransport(), cache: ResponseCache())
/// let response = try await cached.send(HTTPRequest(url: "https://example.org/"))
/// print(response.cacheOutcome == .miss, response.fields["Age"] ?? "new")
/// ```
///
/// `NetworkManager(transport:cache:)` puts it in place by itself. Requests that are the same as one
/// under way wait for its answer, if that may be stored. Redirects are followed here, so that each
/// answer on the way is cached for itself. A request with a validator or a range of its own,
/// or with digest authentication, goes past the cache.
public struct CachingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let cache: ResponseCache
    private let now: @Sendable () -> Int64

    /// Makes the transport.
    ///
    /// - Parameters:
    ///   - transport: What sends the requests.
    ///   - cache: What keeps the answers; several transports may share it.
    ///   - now: Seconds since 1970; a test gives its own.
    public init(
        _ transport: any HTTPTransport, cache: ResponseCache,
        now: @escaping @Sendable () -> Int64 = RetryEnvironment().now
    ) {
        self.transport = transport
        self.cache = cache
        self.now = now
    }

    /// Answers a request from the cache or with the transport; `cacheOutcome` says which.
    ///
    /// - Parameter request: What to send; its `Cache-Control` directives are followed.
    /// - Returns: The answer. A stored one has an `Age` field; without an answer for
    ///   `only-if-cached` the status is 504.
    /// - Throws: What the transport throws, unless a stale answer may stand in.
    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard request.method == .get || request.method == .head else {
            return try await pass(request, .method)
        }
        // Another way to the server may lead to another server, or to one that is less sure. Digest
        // credentials are in no field that could tell whose an answer is.
        guard request.body == nil, request.upload == nil, request.connection == nil,
            request.digest == nil
        else {
            return try await pass(request, .bypass)
        }
        var hop = Hop(
            url: try RequestURL(request.url), method: request.method, fields: request.fields,
            body: nil)
        var redirects = 0
        var hasLeft = request.hasLeftOrigin
        var spent = Duration.zero
        while true {
            var part = request
            part.url = hop.url.text
            part.fields = hop.fields
            part.maximumRedirects = 0
            part.hasLeftOrigin = hasLeft
            part.timeouts.total -= spent
            guard part.timeouts.total > .zero else {
                throw NetworkError(.total, of: request.timeouts, for: hop.url.origin)
            }
            var response = try await answer(part)
            spent += response.timing.total
            response.timing.total = spent
            response.redirectCount += redirects
            guard request.maximumRedirects > 0,
                let next = try hop.next(
                    after: response.status, response.fields,
                    credentials: request.credentialFields)
            else { return response }
            guard redirects < request.maximumRedirects else {
                throw Self.tooManyRedirects(of: request, hop.url.origin, response)
            }
            hasLeft = hasLeft || next.url.origin != hop.url.origin
            hop = next
            redirects += 1
        }
    }

    /// Sends a request past the cache, whose answers are kept as a whole, and gives its stream.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The answer of the server; one that changes something makes stored answers void.
    /// - Throws: What the transport throws.
    public func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream {
        let stream = try await transport.stream(request)
        let outdated = CacheValidation.invalidated(by: request, stream.head)
        if !outdated.isEmpty { await cache.invalidate(outdated) }
        return stream
    }

    private static func tooManyRedirects(
        of request: HTTPRequest, _ origin: Origin, _ response: HTTPResponse
    ) -> NetworkError {
        var error = NetworkError(
            .tooManyRedirects, "\(origin) redirects more than \(request.maximumRedirects) times")
        error.response = response
        error.response?.body = []
        error.timing = response.timing
        return error
    }

    /// Sends a request past the cache; one that changes something makes stored answers void.
    private func pass(
        _ request: HTTPRequest, _ reason: CacheForward
    ) async throws(NetworkError) -> HTTPResponse {
        let response = try await transport.send(request)
        let outdated = CacheValidation.invalidated(by: request, response)
        if !outdated.isEmpty { await cache.invalidate(outdated) }
        return CacheStatus.marked(response, ["fwd=\(reason.rawValue)"])
    }

    /// The answer to one request, no redirect followed.
    private func answer(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let url = try CacheKey.url(of: request.url)
        var mayWait = true
        while true {
            switch await cache.step(for: request, url: url, now: now(), mayWait: mayWait) {
            case .answer(let response, let background):
                if let background { fetchInBackground(background, request) }
                return response
            case .pass(let reason):
                return try await pass(request, reason)
            case .fetch(let fetch):
                return try await run(fetch, request)
            case .wait(let id):
                switch await cache.end(of: id) {
                case .answered: mayWait = false
                case .failed(let error): throw error
                case .cancelled:
                    // Whoever sent it gave up; that is no reason for others to.
                    guard !Task.isCancelled else { throw .taskCancelled }
                }
            }
        }
    }

    /// Sends what the cache asked for, and tells those who wait for it how it ended.
    private func run(
        _ fetch: ResponseCache.Fetch, _ request: HTTPRequest
    ) async throws(NetworkError) -> HTTPResponse {
        do throws(NetworkError) {
            let response = try await exchange(fetch, request)
            await cache.end(fetch, .answered)
            return response
        } catch {
            await cache.end(fetch, error.code == .cancelled ? .cancelled : .failed(error))
            throw error
        }
    }

    private func fetchInBackground(_ fetch: ResponseCache.Fetch, _ request: HTTPRequest) {
        // Ends with the time limit of the request, whatever becomes of the task that caused it.
        Task {
            do throws(NetworkError) {
                _ = try await run(fetch, request)
            } catch {
                await cache.note(error)
            }
        }
    }

    private func exchange(
        _ fetch: ResponseCache.Fetch, _ request: HTTPRequest
    ) async throws(NetworkError) -> HTTPResponse {
        let conditional =
            request.method == .get
            ? fetch.stored.flatMap { CacheValidation.request(request, for: $0) } : nil
        var requestTime = now()
        var response: HTTPResponse
        do throws(NetworkError) {
            response = try await transport.send(conditional ?? request)
        } catch {
            guard Self.isFailureOfOrigin(error),
                let old = await cache.standIn(for: fetch, request, status: nil, now: now())
            else { throw error }
            return old
        }
        if conditional != nil, response.status == 304, let stored = fetch.stored {
            let confirmed = await cache.confirm(
                fetch, stored, response, to: request, requestTime: requestTime,
                responseTime: now())
            if let confirmed { return confirmed }
            // It confirmed something that is not stored: the whole answer is needed.
            requestTime = now()
            response = try await transport.send(request)
        }
        if Self.failures.contains(response.status),
            let old = await cache.standIn(
                for: fetch, request, status: response.status, now: now())
        {
            return old
        }
        return await cache.take(
            fetch, response, to: request, requestTime: requestTime, responseTime: now())
    }

    /// The statuses that RFC 5861, 4 calls errors.
    private static let failures: Set<Int> = [500, 502, 503, 504]

    /// Whether the origin is at fault, or the way there, and not the request or the task.
    private static func isFailureOfOrigin(_ error: NetworkError) -> Bool {
        [.nameLookup, .connect, .tls, .connectionLost, .timeout, .invalidResponse]
            .contains(error.code)
    }
}
