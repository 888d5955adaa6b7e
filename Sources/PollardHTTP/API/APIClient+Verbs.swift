// SPDX-License-Identifier: Apache-2.0

// One verb for each method, whatever method the endpoint itself names. Each throws what
// `value(_:for:)` throws, and `NetworkError.Code.encoding` if the content can't be encoded.

extension APIClient {
    /// Gets a value.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func get<Value: Decodable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.get, endpoint))
    }

    /// Posts what the endpoint itself has as content, if anything, and returns the value that the
    /// server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func post<Value: Decodable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.post, endpoint))
    }

    /// Posts what the endpoint itself has as content, if anything; the content of the answer is not
    /// looked at.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func post(_ endpoint: some Endpoint) async throws(NetworkError) {
        _ = try await successfulResponse(for: request(.post, endpoint))
    }

    /// Posts a value and returns the one that the server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func post<Value: Decodable>(
        _ endpoint: some Endpoint, _ content: some Encodable, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.post, endpoint, content))
    }

    /// Posts a value; the content of the answer is not looked at.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func post(
        _ endpoint: some Endpoint, _ content: some Encodable
    ) async throws(NetworkError) {
        _ = try await successfulResponse(for: request(.post, endpoint, content))
    }

    /// Puts what the endpoint itself has as content, if anything, and returns the value that the
    /// server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func put<Value: Decodable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.put, endpoint))
    }

    /// Puts what the endpoint itself has as content, if anything; the content of the answer is not
    /// looked at.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func put(_ endpoint: some Endpoint) async throws(NetworkError) {
        _ = try await successfulResponse(for: request(.put, endpoint))
    }

    /// Puts a value and returns the one that the server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func put<Value: Decodable>(
        _ endpoint: some Endpoint, _ content: some Encodable, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.put, endpoint, content))
    }

    /// Puts a value; the content of the answer is not looked at.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func put(
        _ endpoint: some Endpoint, _ content: some Encodable
    ) async throws(NetworkError) {
        _ = try await successfulResponse(for: request(.put, endpoint, content))
    }

    /// Patches what the endpoint itself has as content, if anything, and returns the value that the
    /// server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func patch<Value: Decodable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.patch, endpoint))
    }

    /// Patches what the endpoint itself has as content, if anything; the content of the answer is not
    /// looked at.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func patch(_ endpoint: some Endpoint) async throws(NetworkError) {
        _ = try await successfulResponse(for: request(.patch, endpoint))
    }

    /// Patches with a value and returns the one that the server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func patch<Value: Decodable>(
        _ endpoint: some Endpoint, _ content: some Encodable, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.patch, endpoint, content))
    }

    /// Patches with a value; the content of the answer is not looked at.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func patch(
        _ endpoint: some Endpoint, _ content: some Encodable
    ) async throws(NetworkError) {
        _ = try await successfulResponse(for: request(.patch, endpoint, content))
    }

    /// Deletes, and returns the value that the server answers with.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func delete<Value: Decodable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await value(type, for: request(.delete, endpoint))
    }

    /// Deletes; the content of the answer is not looked at.
    ///
    /// - Throws: `NetworkError`; its code is `server` for a status other than 2xx.
    public func delete(_ endpoint: some Endpoint) async throws(NetworkError) {
        _ = try await successfulResponse(for: request(.delete, endpoint))
    }

    private func request(_ method: HTTPMethod, _ endpoint: some Endpoint) -> AnyEndpoint {
        endpoint.with { $0.method = method }
    }

    private func request(
        _ method: HTTPMethod, _ endpoint: some Endpoint, _ content: some Encodable
    ) throws(NetworkError) -> AnyEndpoint {
        let body = try encoder.content(of: content)
        return endpoint.with { request in
            request.method = method
            request.body = .bytes(body, contentType: encoder.contentType)
        }
    }
}
