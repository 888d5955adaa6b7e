// SPDX-License-Identifier: Apache-2.0

/// A request that knows the type of its answer.
///
/// An API is a set of static functions, by which requests are made where they are sent:
///
/// ```swift
/// extension APIRequest where Response == Person {
///     static func person(id: Int) -> Self { .get("/people/\(id)") }
///     static func create(_ person: NewPerson) -> Self { .post("/people", .json(person)) }
/// }
/// let person = try await client.send(.person(id: 7))
/// ```
public struct APIRequest<Response: Decodable & Sendable>: Sendable {
    /// What is requested; everything about it can be set.
    public var endpoint: AnyEndpoint

    /// Makes a request of an endpoint.
    public init(_ endpoint: some Endpoint) { self.endpoint = AnyEndpoint(endpoint) }

    /// Makes a request with a method and content.
    public init(
        _ method: HTTPMethod, _ path: URLPath, query: [QueryItem] = [], body: HTTPBody? = nil
    ) {
        endpoint = AnyEndpoint(path: path, query: query)
        endpoint.method = method
        endpoint.body = body
    }

    /// Gets what is at a path below the client's base URL.
    public static func get(_ path: URLPath, query: [QueryItem] = []) -> Self {
        Self(.get, path, query: query)
    }

    /// Posts a content to a path below the client's base URL.
    public static func post(
        _ path: URLPath, _ body: HTTPBody? = nil, query: [QueryItem] = []
    ) -> Self {
        Self(.post, path, query: query, body: body)
    }

    /// Puts a content at a path below the client's base URL.
    public static func put(
        _ path: URLPath, _ body: HTTPBody? = nil, query: [QueryItem] = []
    ) -> Self {
        Self(.put, path, query: query, body: body)
    }

    /// Patches what is at a path below the client's base URL.
    public static func patch(
        _ path: URLPath, _ body: HTTPBody? = nil, query: [QueryItem] = []
    ) -> Self {
        Self(.patch, path, query: query, body: body)
    }

    /// Deletes what is at a path below the client's base URL.
    public static func delete(_ path: URLPath, query: [QueryItem] = []) -> Self {
        Self(.delete, path, query: query)
    }

    /// The same request with something of its endpoint changed:
    /// `.person(id: 7).with { $0.retry = .never }`.
    public func with(_ change: (inout AnyEndpoint) -> Void) -> Self {
        Self(endpoint.with(change))
    }
}

extension APIClient {
    /// Sends a request and gives the value of its answer.
    ///
    /// - Throws: What `value(_:for:)` throws.
    @discardableResult
    public func send<Response>(
        _ request: APIRequest<Response>
    ) async throws(NetworkError) -> Response {
        try await value(for: request.endpoint)
    }

    /// Sends a request and gives the value of its answer with all that is known of it.
    ///
    /// - Throws: What `value(_:for:)` throws.
    public func response<Response>(
        of request: APIRequest<Response>
    ) async throws(NetworkError) -> APIResponse<Response> {
        try await response(of: Response.self, for: request.endpoint)
    }

    /// Sends a request and gives its outcome.
    public func result<Response>(
        of request: APIRequest<Response>
    ) async -> Result<Response, NetworkError> {
        await result(for: request.endpoint)
    }

    /// Sends a request and calls `completion` with its outcome.
    ///
    /// See `value(_:for:completion:)` for where and when.
    @discardableResult
    public func send<Response>(
        _ request: APIRequest<Response>,
        completion: @escaping @Sendable (Result<Response, NetworkError>) -> Void
    ) -> RequestHandle {
        value(for: request.endpoint, completion: completion)
    }
}
