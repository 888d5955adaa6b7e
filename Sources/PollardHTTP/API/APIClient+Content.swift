// SPDX-License-Identifier: Apache-2.0

// The verbs with a content that is made already: bytes, a text, a form, or a JSON text. Each
// throws what `value(_:for:)` or `bytes(for:)` throws.

extension APIClient {
    /// Posts content as it is and returns the value that the server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func post<Value: Decodable>(
        _ endpoint: some Endpoint, body: HTTPBody, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.post, endpoint, body: body))
    }

    /// Posts content as it is and returns that of the answer.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    @discardableResult
    public func post(
        _ endpoint: some Endpoint, body: HTTPBody
    ) async throws(NetworkError) -> [UInt8] {
        try await bytes(for: request(.post, endpoint, body: body))
    }

    /// Puts content as it is and returns the value that the server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func put<Value: Decodable>(
        _ endpoint: some Endpoint, body: HTTPBody, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.put, endpoint, body: body))
    }

    /// Puts content as it is and returns that of the answer.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    @discardableResult
    public func put(
        _ endpoint: some Endpoint, body: HTTPBody
    ) async throws(NetworkError) -> [UInt8] {
        try await bytes(for: request(.put, endpoint, body: body))
    }

    /// Patches with content as it is and returns the value that the server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func patch<Value: Decodable>(
        _ endpoint: some Endpoint, body: HTTPBody, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.patch, endpoint, body: body))
    }

    /// Patches with content as it is and returns that of the answer.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    @discardableResult
    public func patch(
        _ endpoint: some Endpoint, body: HTTPBody
    ) async throws(NetworkError) -> [UInt8] {
        try await bytes(for: request(.patch, endpoint, body: body))
    }

    private func request(
        _ method: HTTPMethod, _ endpoint: some Endpoint, body: HTTPBody
    ) -> AnyEndpoint {
        endpoint.with { request in
            request.method = method
            request.body = body
        }
    }
}
