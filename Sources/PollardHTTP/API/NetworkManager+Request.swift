// SPDX-License-Identifier: Apache-2.0

extension NetworkManager {
    /// The request that is sent for `endpoint`.
    ///
    /// - Throws: `NetworkError.Code.invalidURL`, `invalidRequest` or `encoding`.
    public func request(for endpoint: some Endpoint) throws(NetworkError) -> HTTPRequest {
        let base = try base(of: endpoint)
        var request = HTTPRequest(
            url: try base.appending(endpoint.path, query: endpoint.queryItems),
            method: endpoint.method, fields: try fields(of: endpoint, at: base.origin))
        request.timeouts = endpoint.timeouts
        request.maximumRedirects = endpoint.maximumRedirects
        request.maximumBodyBytes = endpoint.maximumBodyBytes
        if let body = endpoint.body { try body.add(to: &request, encodedBy: encoder) }
        if let authentication = try authentication(for: endpoint, at: base.origin) {
            try request.authenticate(by: authentication)
        }
        request.credentialFields.formUnion(endpoint.credentialFields)
        request.credentialFields.formUnion(
            request.fields.credentialNames(named: credentialFields))
        return request
    }

    private func base(of endpoint: some Endpoint) throws(NetworkError) -> BaseURL {
        if let url = endpoint.baseURL { return try BaseURL(url) }
        if let host = endpoint.host {
            return try BaseURL(scheme: endpoint.scheme, host: host, port: endpoint.port)
        }
        guard let baseURL else {
            throw NetworkError(
                .invalidURL, "neither the endpoint nor the client says which host to ask")
        }
        return try BaseURL(baseURL)
    }

    /// The client's fields but for those that the endpoint names, or that are not for this origin,
    /// and then the endpoint's.
    private func fields(
        of endpoint: some Endpoint, at origin: String
    ) throws(NetworkError) -> HTTPFields {
        let own = endpoint.headers
        var fields = headers
        fields.removeAll { own[$0] != nil }
        let secret = Set(fields.credentialNames(named: credentialFields))
        if !secret.isEmpty, try ownOrigin != origin { fields.removeAll { secret.contains($0) } }
        for line in own.lines { fields.append(line.name, line.value) }
        return fields
    }

    /// The endpoint's credentials, or the client's if they are for this origin.
    private func authentication(
        for endpoint: some Endpoint, at origin: String
    ) throws(NetworkError) -> HTTPAuthentication? {
        if let own = endpoint.authentication { return own }
        guard let authentication, endpoint.requiresToken, try ownOrigin == origin else {
            return nil
        }
        return authentication
    }

    /// The origin that the token is for, if the request of `endpoint` needs one and goes there.
    func originOfToken(for endpoint: some Endpoint) throws(NetworkError) -> String? {
        guard keeper != nil, endpoint.requiresToken, endpoint.authentication == nil else {
            return nil
        }
        let origin = try base(of: endpoint).origin
        return try ownOrigin == origin ? origin : nil
    }

    private var ownOrigin: String? {
        get throws(NetworkError) {
            guard let baseURL else { return nil }
            return try BaseURL(baseURL).origin
        }
    }
}
