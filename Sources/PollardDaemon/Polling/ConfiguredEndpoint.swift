// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardHTTP

/// An endpoint of the configuration as the HTTP client knows endpoints.
struct ConfiguredEndpoint: Endpoint {
    private let request: RequestConfiguration
    private let policy: RetryConfiguration

    /// - Parameter configuration: What is requested.
    init(_ configuration: EndpointConfiguration) {
        request = configuration.request
        policy = configuration.retry
    }

    var baseURL: String? { request.url }
    var queryItems: [QueryItem] { request.query.map(QueryItem.init) }
    var method: HTTPMethod { HTTPMethod(rawValue: request.method) }

    var headers: HTTPFields {
        var fields = HTTPFields()
        for header in request.headers { fields.append(header.name, header.value.reveal()) }
        return fields
    }

    var body: HTTPBody? {
        switch request.body {
        case nil: nil
        case .json(let text): .json(text: text)
        case .form(let fields): .form(fields.map(QueryItem.init))
        case .text(let text): .text(text)
        }
    }

    var authentication: HTTPAuthentication? {
        switch request.authentication {
        case nil: nil
        case .bearer(let token): .bearer(token.reveal())
        case .basic(let username, let password):
            .basic(username: username, password: password.reveal())
        case .header(let name, let value): .header(name: name, value: value.reveal())
        }
    }

    var credentialFields: Set<String> {
        let secret = request.headers.filter { header in
            if case .secret = header.value { true } else { false }
        }
        return Set(secret.map(\.name))
    }

    var timeouts: HTTPRequest.Timeouts {
        var timeouts = HTTPRequest.Timeouts()
        timeouts.total = request.timeout
        timeouts.connect = request.connectTimeout
        return timeouts
    }

    var maximumRedirects: Int { request.maximumRedirects }
    var maximumBodyBytes: Int { request.maximumBodyBytes }

    var retry: RetryPolicy? { RetryPolicy(policy) }
}

extension RetryPolicy {
    /// - Parameter configuration: When a failed attempt is made again.
    init(_ configuration: RetryConfiguration) {
        self.init(
            attempts: configuration.attempts, initial: configuration.initial,
            maximum: configuration.maximum,
            retriesUnsafeMethods: configuration.retriesUnsafeMethods)
    }
}

extension QueryItem {
    fileprivate init(_ parameter: RequestConfiguration.Parameter) {
        self.init(parameter.name, .some(parameter.value.reveal()))
    }
}
