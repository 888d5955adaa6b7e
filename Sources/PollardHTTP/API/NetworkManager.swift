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
/// It is a value: a copy may have other settings and shares the transport, the token and the
/// retry budget.
///
/// ## What a request goes through
///
/// An endpoint becomes an `HTTPRequest` with the client's header fields and `authentication`. That
/// goes through the layers from the outside in, and the answer through the same in reverse:
///
/// 1. `middleware`, in order: once for a request.
/// 2. The token of `tokenProvider`: once more with another token after a 401.
/// 3. `retry` and `retryBudget`: as often as they allow, with each token.
/// 4. `transport`: once for each attempt, redirects included.
///
/// Who wants to plug in chooses the layer by what it is to see. What is to change each attempt, or
/// answer in place of the network, as a cache, is a transport around the transport. What is to see
/// each request once, as logging or a queue for later, is middleware. What only looks on at each
/// attempt, as metrics do, is `onAttempt`.
public struct NetworkManager: APIClient {
    /// What sends the requests; `cache` is in front of it, whatever is set here.
    public var transport: any HTTPTransport
    /// What keeps answers; without it, the default, each request is sent.
    public var cache: ResponseCache?
    /// The absolute URL below which endpoints without a place of their own are.
    public var baseURL: String?
    /// Header fields of every request, unless its endpoint has one of that name.
    ///
    /// Credentials among them, as `Cookie` and `X-API-Key`, are sent to the origin of `baseURL` only:
    /// not to another host that an endpoint names, and not after a redirect to one. They are known
    /// by their names, and by `credentialFields`. No error has their values.
    public var headers: HTTPFields
    /// Names of fields in `headers` that hold credentials, although they are not named so; none by
    /// default.
    ///
    /// `Authorization`, `Proxy-Authorization` and `Cookie` need not be named, nor what has `token`,
    /// `secret`, `session`, `auth` or a like word in its name, or ends in `-Key`
    /// (`Idempotency-Key` is none).
    public var credentialFields: Set<String> = []
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
    /// What each request goes through first, the first of them outermost; none by default.
    public var middleware: [any HTTPMiddleware] = []
    /// The share of requests that may be retries, shared with all copies; nil, the default, for as
    /// many as `retry` says.
    public var retryBudget: RetryBudget?
    /// Told of each attempt as it starts and as it ends, with how long it is until the next; nil by
    /// default.
    ///
    /// It is called in the task of the request, which waits for it, so it should return soon; and
    /// for several requests at once. An attempt that was told to follow does not if the task is
    /// cancelled meanwhile.
    public var onAttempt: (@Sendable (AttemptEvent) -> Void)?
    /// What keeps the token of `tokenProvider`.
    private(set) var keeper: TokenKeeper?

    /// Where the tokens for endpoints at the origin of `baseURL` that require one come from; none
    /// by default.
    ///
    /// A token is kept until shortly before it expires or until it is refused (401), and is then
    /// replaced once for all who wait. It is sent in place of an `Authorization` field. Setting
    /// this forgets the token; copies made before keep theirs.
    public var tokenProvider: (any TokenProvider)? {
        get { keeper?.provider }
        set { keeper = newValue.map { TokenKeeper($0) } }
    }

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - transport: What sends the requests.
    ///   - baseURL: An absolute http or https URL; without it, each endpoint must name its place.
    ///   - headers: Header fields of every request; credentials among them go to `baseURL` only.
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
        self.transport = transport
        self.cache = cache
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
    /// - Returns: The answer, whatever its status; `history` says how often it was sent.
    /// - Throws: The `NetworkError` of the last attempt, which says the same; `cancelled` soon
    ///   after the task is cancelled, also between attempts.
    public func response(for endpoint: some Endpoint) async throws(NetworkError) -> HTTPResponse {
        let retry = endpoint.retry ?? retry
        let origin = try originOfToken(for: endpoint)
        return try await exchange(request(for: endpoint)) { request async throws(NetworkError) in
            if let origin {
                try await send(request, retry: retry, withTokenFor: origin)
            } else {
                try await send(request, retry: retry)
            }
        }
    }

    /// Sends a request that was made before, for what is requested again and again.
    ///
    /// - Parameters:
    ///   - request: What `request(for:)` gave; no field, credential or token of the client's is
    ///     added to it.
    ///   - retry: When it is sent again; the client's policy if nil.
    /// - Returns: The answer, as `response(for:)` gives it.
    /// - Throws: As `response(for:)` does.
    public func response(
        to request: HTTPRequest, retry: RetryPolicy? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        let retry = retry ?? self.retry
        return try await exchange(request) { request async throws(NetworkError) in
            try await send(request, retry: retry)
        }
    }

    /// The transport, behind the cache if there is one.
    var cachingTransport: any HTTPTransport {
        cache.map { CachingTransport(transport, cache: $0, now: environment.now) } ?? transport
    }

    private func exchange(
        _ request: HTTPRequest, _ send: @escaping HTTPMiddlewareChain.Sender
    ) async throws(NetworkError) -> HTTPResponse {
        try await HTTPMiddlewareChain(middleware, before: send)(request)
    }

    /// A text without the credentials of this client, its header fields included, and its token.
    public func withoutCredentials(_ text: String) -> String {
        let secrets =
            (authentication?.secrets ?? []) + (keeper?.known ?? [])
            + headers.secrets(named: credentialFields)
        return SecretRedaction(secrets).withoutKnown(text)
    }
}
