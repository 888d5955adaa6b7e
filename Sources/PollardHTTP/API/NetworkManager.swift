// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// The client of an API: makes requests from endpoints, sends them, and retries.
///
/// ```swift
/// let client = NetworkManager(
///     transport: try CurlTransport(), baseURL: "https://api.example.org/v1",
///     authentication: .bearer(token))
/// let people: [Person] = try await client.get(PersonAPI.list(page: 1))
/// ```
///
/// It is a value: a copy may have other settings and shares the transport.
public struct NetworkManager: APIClient {
    /// What sends the requests.
    public var transport: any HTTPTransport
    /// The absolute URL below which endpoints without a place of their own are.
    public var baseURL: String?
    /// Header fields of every request, unless its endpoint has one of that name.
    public var headers: HTTPFields
    /// Credentials for endpoints at the origin of `baseURL` that require a token.
    public var authentication: HTTPAuthentication?
    /// When requests are sent again, unless their endpoint has a policy of its own.
    public var retry: RetryPolicy
    /// What content is encoded with; JSON by default.
    public var encoder: any BodyEncoder
    /// What answers are decoded with; JSON by default.
    public var decoder: any BodyDecoder
    /// What delays between attempts, and the time and chance they depend on, come from.
    public var environment: RetryEnvironment

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - transport: What sends the requests.
    ///   - baseURL: An absolute http or https URL; without it, each endpoint must name its place.
    ///   - headers: Header fields of every request.
    ///   - authentication: Credentials for the origin of `baseURL`.
    ///   - retry: When requests are sent again.
    ///   - encoder: What content is encoded with.
    ///   - decoder: What answers are decoded with.
    ///   - environment: Where time and chance come from; a test gives its own.
    ///   - cache: What keeps answers; without it, each request is sent.
    public init(
        transport: any HTTPTransport, baseURL: String? = nil, headers: HTTPFields = [:],
        authentication: HTTPAuthentication? = nil, retry: RetryPolicy = RetryPolicy(),
        encoder: any BodyEncoder = JSONEncoder(), decoder: any BodyDecoder = JSONDecoder(),
        environment: RetryEnvironment = RetryEnvironment(), cache: ResponseCache? = nil
    ) {
        self.transport =
            cache.map { CachingTransport(transport, cache: $0, now: environment.now) } ?? transport
        self.baseURL = baseURL
        self.headers = headers
        self.authentication = authentication
        self.retry = retry
        self.encoder = encoder
        self.decoder = decoder
        self.environment = environment
    }

    /// Sends the request of `endpoint`, again if the policy says so, and returns the last answer.
    ///
    /// - Parameter endpoint: What to request.
    /// - Returns: The answer, whatever its status; `attempts` says how many requests were sent.
    /// - Throws: The `NetworkError` of the last attempt, which says the same; `cancelled` soon
    ///   after the task is cancelled, also between attempts.
    public func response(for endpoint: some Endpoint) async throws(NetworkError) -> HTTPResponse {
        try await send(request(for: endpoint), retry: endpoint.retry ?? retry)
    }

    /// Sends a request that was made before, for what is requested again and again.
    ///
    /// - Parameters:
    ///   - request: What `request(for:)` gave; nothing of the client's is added to it.
    ///   - retry: When it is sent again; the client's policy if nil.
    /// - Returns: The answer, as `response(for:)` gives it.
    /// - Throws: As `response(for:)` does.
    public func response(
        to request: HTTPRequest, retry: RetryPolicy? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        try await send(request, retry: retry ?? self.retry)
    }
}
