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
            var error = NetworkError(.server, "the server answered \(response.status)")
            error.response = response
            error.timing = response.timing
            error.attempts = response.attempts
            throw error
        }
        return response
    }

    /// The value of the answer to the request of `endpoint`.
    ///
    /// - Throws: `NetworkError.Code.decoding` with a `CodingFailure` and the answer if it is no
    ///   such value; else what `successfulResponse(for:)` throws.
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self, for endpoint: some Endpoint
    ) async throws(NetworkError) -> Value {
        try decode(type, from: await successfulResponse(for: endpoint))
    }

    /// The value that a successful answer has as its content.
    ///
    /// - Throws: `NetworkError.Code.decoding` with a `CodingFailure` and the answer.
    func decode<Value: Decodable>(
        _ type: Value.Type, from response: HTTPResponse
    ) throws(NetworkError) -> Value {
        do {
            return try decoder.decode(type, from: response.body)
        } catch {
            let what = response.body.isEmpty ? "the content is empty and" : "the content"
            var failure = NetworkError(
                .decoding, "\(what) can't be decoded as '\(type)'",
                underlying: CodingFailure(error))
            failure.response = response
            failure.timing = response.timing
            failure.attempts = response.attempts
            throw failure
        }
    }
}
