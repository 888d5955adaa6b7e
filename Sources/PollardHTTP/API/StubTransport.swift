// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// A transport for tests: gives answers that were made beforehand, and keeps the requests.
///
/// ```swift
/// let stub = StubTransport { _ in .json(#"{"name": "Ada"}"#) }
/// let client = NetworkManager(transport: stub, baseURL: "https://api.example.org")
/// let person: Person = try await client.get(.path("/people/1"))
/// #expect(stub.requests.map(\.url) == ["https://api.example.org/people/1"])
/// ```
public final class StubTransport: HTTPTransport {
    /// Decides the answer to a request, and may take its time.
    ///
    /// What it throws, if it is no `NetworkError`, becomes the cause of a
    /// `NetworkError.Code.transport`; `CancellationError` becomes `cancelled`.
    public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

    private let received = Mutex<[HTTPRequest]>([])
    private let handler: @Sendable (HTTPRequest, Int) async throws(NetworkError) -> HTTPResponse

    /// Makes a transport that asks `handler` for each answer.
    ///
    /// One that is slow, and ends when the request is cancelled:
    ///
    /// ```swift
    /// let slow = StubTransport { _ in
    ///     try await Task.sleep(for: .seconds(60))
    ///     return .json("[]")
    /// }
    /// ```
    public init(handler: @escaping Handler) {
        self.handler = { request, _ throws(NetworkError) in
            do {
                return try await handler(request)
            } catch let error as NetworkError {
                throw error
            } catch is CancellationError {
                throw .taskCancelled
            } catch {
                throw NetworkError(.transport, "the stub failed", underlying: error)
            }
        }
    }

    /// Makes a transport that gives these outcomes in turn, and the last one from then on.
    public init(
        _ first: Result<HTTPResponse, NetworkError>, _ rest: Result<HTTPResponse, NetworkError>...
    ) {
        let outcomes = [first] + rest
        handler = { _, count throws(NetworkError) in
            try outcomes[min(count, outcomes.count) - 1].get()
        }
    }

    /// Every request up to now, in order.
    public var requests: [HTTPRequest] { received.withLock { $0 } }

    /// Keeps the request, and gives the answer made for it.
    ///
    /// - Returns: The answer, with the URL of the request unless it has one.
    /// - Throws: The error made for the request, or `NetworkError.Code.cancelled` if the task is
    ///   cancelled.
    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard !Task.isCancelled else {
            throw NetworkError(.cancelled, "the request was cancelled")
        }
        let count = received.withLock { received in
            received.append(request)
            return received.count
        }
        var response = try await handler(request, count)
        if response.url.isEmpty { response.url = request.url }
        return response
    }
}

extension HTTPResponse {
    /// An answer with a JSON text, for stubs.
    public static func json(
        _ text: String, status: Int = 200, fields: HTTPFields = [:]
    ) -> HTTPResponse {
        var all = fields
        if all["Content-Type"] == nil { all.append("Content-Type", "application/json") }
        return HTTPResponse(status: status, fields: all, body: Array(text.utf8))
    }
}
