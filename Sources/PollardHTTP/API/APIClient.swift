// SPDX-License-Identifier: Apache-2.0

/// Sends the requests of an API and gives their answers as values.
///
/// `NetworkManager` is the client for programs; with a `StubTransport` it is also one for tests. A
/// client of another kind needs only the requirements: the verbs are built on them.
///
/// ```swift
/// let people: [Person] = try await client.get(PersonAPI.list(page: 1))
/// let made: Person = try await client.post(.path("/people"), newPerson)
/// try await client.delete(.path("/people/\(id)"))
/// ```
public protocol APIClient: Sendable {
    /// What the verbs encode content with.
    var encoder: any BodyEncoder { get }
    /// What the verbs decode answers with.
    var decoder: any BodyDecoder { get }

    /// Sends the request of `endpoint`, again if a policy says so, and returns the last answer.
    ///
    /// - Parameter endpoint: What to request.
    /// - Returns: The answer, whatever its status; it says how many requests were sent.
    /// - Throws: `NetworkError` if there was no complete answer, or nothing could be sent.
    func response(for endpoint: some Endpoint) async throws(NetworkError) -> HTTPResponse

    /// Sends the request of `endpoint`, again if a policy says so, and returns the last answer as
    /// soon as its head is there; by default, when it is complete.
    ///
    /// - Parameter endpoint: What to request; its time limit in all includes reading the content.
    /// - Returns: The answer, whatever its status, whose content is read as a sequence.
    /// - Throws: `NetworkError` if there was no head, or nothing could be sent.
    func stream(for endpoint: some Endpoint) async throws(NetworkError) -> HTTPStream

    /// A text of a server without the client's own credentials, for errors; the text by default.
    func withoutCredentials(_ text: String) -> String
}

extension APIClient {
    /// The text as it is.
    public func withoutCredentials(_ text: String) -> String { text }
}

// MARK: - Requests with the endpoint's own method

extension APIClient {
    /// The answer to the request of `endpoint`, if its status is a success (2xx).
    ///
    /// - Throws: `NetworkError.Code.server` with the answer for any other status; else what
    ///   `response(for:)` throws.
    public func successfulResponse(
        for endpoint: some Endpoint
    ) async throws(NetworkError) -> HTTPResponse {
        let response = try await response(for: endpoint)
        guard (200..<300).contains(response.status) else {
            throw NetworkError.refusal(
                response, to: endpoint.method, without: redaction(of: endpoint))
        }
        return response
    }

    /// The value of the answer to the request of `endpoint`.
    ///
    /// An answer without content is a value if `Value` is `Optional`, `EmptyResponse` or another
    /// `ExpressibleByEmptyContent`.
    ///
    /// - Throws: `NetworkError.Code.decoding` with a `CodingFailure` and the answer if it is no
    ///   such value; else what `successfulResponse(for:)` throws.
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self, for endpoint: some Endpoint
    ) async throws(NetworkError) -> Value {
        try decode(type, from: await successfulResponse(for: endpoint), to: endpoint)
    }

    /// The value of the answer to the request of `endpoint`, with all that is known of the answer.
    ///
    /// - Throws: What `value(_:for:)` throws.
    public func response<Value: Decodable>(
        of type: Value.Type, for endpoint: some Endpoint
    ) async throws(NetworkError) -> APIResponse<Value> {
        let response = try await successfulResponse(for: endpoint)
        return APIResponse(value: try decode(type, from: response, to: endpoint), http: response)
    }

    /// The content of the answer to the request of `endpoint`, as it is.
    ///
    /// - Throws: What `successfulResponse(for:)` throws.
    public func bytes(for endpoint: some Endpoint) async throws(NetworkError) -> [UInt8] {
        try await successfulResponse(for: endpoint).body
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, from response: HTTPResponse, to endpoint: some Endpoint
    ) throws(NetworkError) -> Value {
        if response.body.isEmpty, let empty = type as? any ExpressibleByEmptyContent.Type,
            let value = empty.emptyContent as? Value
        {
            return value
        }
        if let value = EmptyResponse() as? Value { return value }
        do {
            return try decoder.decode(type, from: response.body)
        } catch {
            let isEmpty = response.body.isEmpty
            let what = isEmpty ? "the content is empty and" : "the content"
            var failure = NetworkError(
                .decoding, "\(what) can't be decoded as '\(type)'", about: response)
            failure.underlying = CodingFailure(
                error, in: response.body, without: redaction(of: endpoint))
            failure.hint = isEmpty ? "ask for an optional value if there may be none" : nil
            throw failure
        }
    }

    func redaction(of endpoint: some Endpoint) -> SecretRedaction {
        SecretRedaction(of: endpoint, and: withoutCredentials)
    }
}
