// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// What a queue sends for a request: all of it that may be on a disk.
struct DeferredContent: Sendable, Hashable {
    /// The request, without credentials and without what the client adds.
    var request: HTTPRequest
    /// Whether the client adds its credentials.
    var requiresToken = true
    /// When it is sent again within one attempt; nil for the client's policy.
    var retry: RetryPolicy?
}

extension DeferredContent {
    /// What is kept of a request that is sent by a transport.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest` or `invalidURL` if it can't be sent.
    init(_ request: HTTPRequest) throws(NetworkError) {
        try request.validate()
        _ = try RequestURL(request.url)
        guard request.upload == nil else {
            throw NetworkError(
                .invalidRequest,
                "an upload from files can't be deferred, since they may change; send a body")
        }
        self.init(request: request.withIdempotencyKey)
    }

    /// What is kept of an endpoint: what it says itself.
    ///
    /// The client's fields and credentials are added when it is sent, as they are then.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest` for an endpoint with credentials of its own,
    ///   which would be lost; else what the client throws for an endpoint that can't be sent.
    init(_ endpoint: some Endpoint, of client: NetworkManager) throws(NetworkError) {
        guard endpoint.authentication == nil else { throw Self.ownCredentials() }
        var bare = client
        bare.authentication = nil
        // Of the client's fields, the one that says what the content is belongs to the content.
        bare.headers.removeAll { $0.lowercased() != "content-type" }
        let request = try bare.request(for: endpoint)
        if let field = request.fields.lines.first(where: { request.isCredential($0.name) }) {
            throw Self.ownCredentials(" in '\(field.name.escaped)'")
        }
        try self.init(request)
        requiresToken = endpoint.requiresToken
        retry = endpoint.retry
    }

    private static func ownCredentials(_ place: String = "") -> NetworkError {
        NetworkError(
            .invalidRequest, "the endpoint has credentials of its own\(place), which are not kept",
            hint: "give them to the client")
    }
}

extension NetworkManager {
    /// Sends what was kept as one of this client's endpoints.
    var deferredSender: DeferredRequests.Sender {
        { content async throws(NetworkError) in
            let request = content.request
            // The path and query are part of the base URL, which keeps them as they are.
            var endpoint = AnyEndpoint(path: "")
            endpoint.baseURL = request.url
            endpoint.method = request.method
            endpoint.headers = request.fields
            endpoint.body = request.body.map { .bytes($0, contentType: nil) }
            endpoint.requiresToken = content.requiresToken
            endpoint.credentialFields = request.credentialFields
            endpoint.timeouts = request.timeouts
            endpoint.maximumRedirects = request.maximumRedirects
            endpoint.maximumBodyBytes = request.maximumBodyBytes
            endpoint.retry = content.retry
            return try await response(for: endpoint)
        }
    }
}

extension HTTPRequest {
    /// Without what must not be on a disk.
    var withoutCredentials: HTTPRequest {
        var request = self
        request.fields.removeAll { isCredential($0) }
        // Those that no name tells stay credentials, whoever adds them to a replay.
        request.credentialFields = credentialFields.filter { !CredentialField.contains($0) }
        request.digest = nil
        // A proxy may have a password; the transport knows how servers are reached.
        request.connection = nil
        return request
    }

    /// With a key by which a server can tell a repeat, if it may change something.
    fileprivate var withIdempotencyKey: HTTPRequest {
        let isSafe = [.get, .head, .options].contains(method)
        guard !isSafe, fields["Idempotency-Key"] == nil else { return self }
        var request = self
        request.fields["Idempotency-Key"] = "\"\(UUID().uuidString.lowercased())\""
        return request
    }
}
