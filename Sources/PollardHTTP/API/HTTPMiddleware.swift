// SPDX-License-Identifier: Apache-2.0

/// A link in the chain that each request of a client goes through, and each answer comes back by.
///
/// It may change the request, look at or change the answer, answer by itself, or send again. One
/// that adds a field to each request:
///
/// ```swift
/// struct RequestIDs: HTTPMiddleware {
///     func send(_ request: HTTPRequest, by next: Next) async throws(NetworkError) -> HTTPResponse {
///         var request = request
///         request.fields["X-Request-ID"] = UUID().uuidString
///         return try await next(request)
///     }
/// }
/// ```
///
/// One that writes a line for each answer and each failure, without secrets:
///
/// ```swift
/// struct Logging: HTTPMiddleware {
///     func send(_ request: HTTPRequest, by next: Next) async throws(NetworkError) -> HTTPResponse {
///         do {
///             let response = try await next(request)
///             print("\(request): \(response.status) after \(response.timing.total)")
///             return response
///         } catch {
///             print("\(request): \(error)")
///             throw error
///         }
///     }
/// }
/// client.middleware = [Logging(), RequestIDs()]       // Logging sees the answer last
/// ```
public protocol HTTPMiddleware: Sendable {
    /// The rest of the chain, called as a function.
    typealias Next = HTTPMiddlewareChain

    /// Sends a request by the rest of the chain, and gives its answer.
    ///
    /// The request has the client's fields and credentials, but not the token of a
    /// `TokenProvider`. It is called once however often the request is retried. For a stream or a
    /// download, `next` gives the head of the answer, without content.
    ///
    /// - Parameters:
    ///   - request: What is to be sent.
    ///   - next: The next middleware, or what sends.
    /// - Returns: The answer, whatever its status.
    /// - Throws: What `next` throws, or a `NetworkError` of its own.
    func send(_ request: HTTPRequest, by next: Next) async throws(NetworkError) -> HTTPResponse
}

/// Middleware in order, and what sends at their end: called as a function with a request.
public struct HTTPMiddlewareChain: Sendable {
    /// What sends at the end of a chain.
    public typealias Sender =
        @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse

    private let links: ArraySlice<any HTTPMiddleware>
    private let sender: Sender

    /// Makes a chain, as a test of a middleware does with a sender of its own.
    public init(_ middleware: [any HTTPMiddleware] = [], before sender: @escaping Sender) {
        links = middleware[...]
        self.sender = sender
    }

    private init(_ links: ArraySlice<any HTTPMiddleware>, _ sender: @escaping Sender) {
        self.links = links
        self.sender = sender
    }

    /// Sends a request through the chain.
    ///
    /// - Throws: What the middleware or the sender throws.
    public func callAsFunction(
        _ request: HTTPRequest
    ) async throws(NetworkError) -> HTTPResponse {
        guard let first = links.first else { return try await sender(request) }
        return try await first.send(request, by: Self(links.dropFirst(), sender))
    }
}
