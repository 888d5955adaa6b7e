// SPDX-License-Identifier: Apache-2.0

/// An endpoint as plain values, each of which can be set.
///
/// It is what `.path(...)` makes, for requests that need no type of their own:
///
/// ```swift
/// let person: Person = try await client.get(.path("/people/\(id)"))
/// ```
public struct AnyEndpoint: Endpoint {
    /// See `Endpoint`.
    public var baseURL: String?
    /// See `Endpoint`.
    public var scheme: HTTPScheme
    /// See `Endpoint`.
    public var host: String?
    /// See `Endpoint`.
    public var port: Int?
    /// See `Endpoint`.
    public var path: URLPath
    /// See `Endpoint`.
    public var queryItems: [QueryItem]
    /// See `Endpoint`.
    public var method: HTTPMethod
    /// See `Endpoint`.
    public var headers: HTTPFields
    /// See `Endpoint`.
    public var body: HTTPBody?
    /// See `Endpoint`.
    public var authentication: HTTPAuthentication?
    /// See `Endpoint`.
    public var requiresToken: Bool
    /// See `Endpoint`.
    public var credentialFields: Set<String>
    /// See `Endpoint`.
    public var timeouts: HTTPRequest.Timeouts
    /// See `Endpoint`.
    public var maximumRedirects: Int
    /// See `Endpoint`.
    public var maximumBodyBytes: Int
    /// See `Endpoint`.
    public var retry: RetryPolicy?

    /// Copies the values of another endpoint.
    public init(_ endpoint: some Endpoint) {
        baseURL = endpoint.baseURL
        scheme = endpoint.scheme
        host = endpoint.host
        port = endpoint.port
        path = endpoint.path
        queryItems = endpoint.queryItems
        method = endpoint.method
        headers = endpoint.headers
        body = endpoint.body
        authentication = endpoint.authentication
        requiresToken = endpoint.requiresToken
        credentialFields = endpoint.credentialFields
        timeouts = endpoint.timeouts
        maximumRedirects = endpoint.maximumRedirects
        maximumBodyBytes = endpoint.maximumBodyBytes
        retry = endpoint.retry
    }

    /// Makes an endpoint with the defaults of `Endpoint`, below the client's base URL.
    public init(path: URLPath = "", query: [QueryItem] = [], headers: HTTPFields = [:]) {
        self.init(Defaults())
        self.path = path
        queryItems = query
        self.headers = headers
    }

    /// Makes an endpoint with the defaults of `Endpoint` from an absolute URL.
    public init(url: String, query: [QueryItem] = [], headers: HTTPFields = [:]) {
        self.init(path: "", query: query, headers: headers)
        baseURL = url
    }

    private struct Defaults: Endpoint {}
}

extension Endpoint {
    /// The values of this endpoint with some of them changed.
    ///
    /// ```swift
    /// let report: Report = try await client.get(.path("/report").with { $0.retry = .never })
    /// ```
    public func with(_ change: (inout AnyEndpoint) -> Void) -> AnyEndpoint {
        var endpoint = AnyEndpoint(self)
        change(&endpoint)
        return endpoint
    }
}

extension Endpoint where Self == AnyEndpoint {
    /// A path below the client's base URL, with the defaults of `Endpoint`.
    ///
    /// To choose between literals, name the type, which the compiler does not find by itself then:
    /// `AnyEndpoint.path(isDraft ? "/drafts" : "/reports")`.
    public static func path(
        _ path: URLPath, query: [QueryItem] = [], headers: HTTPFields = [:]
    ) -> AnyEndpoint {
        AnyEndpoint(path: path, query: query, headers: headers)
    }

    /// An absolute URL, with the defaults of `Endpoint`.
    public static func url(
        _ url: String, query: [QueryItem] = [], headers: HTTPFields = [:]
    ) -> AnyEndpoint {
        AnyEndpoint(url: url, query: query, headers: headers)
    }
}
