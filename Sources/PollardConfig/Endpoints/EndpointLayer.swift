// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// What one of `defaults`, an api or an endpoint says about how to poll; nil where it is silent.
struct EndpointLayer {
    /// A parameter and where it was written.
    struct Parameter {
        var place: Place
        var parameter: RequestConfiguration.Parameter
        var name: String { parameter.name }
    }

    /// A body and where it was written.
    struct Body {
        var place: Place
        var body: RequestConfiguration.Body
    }

    var query: [Parameter] = []
    var method: String?
    var headers: [Parameter] = []
    var body: Body?
    var authentication: RequestConfiguration.Authentication?
    var interval: Duration?
    var jitter: Double?
    var timeout: Duration?
    var connectTimeout: Duration?
    var retry: RetryConfiguration?
    var maximumRedirects: Int?
    var maximumBodyBytes: Int?
    var cache: EndpointConfiguration.CacheMode?
    var format: ContentFormat?
    var ignore: [PathPattern]?
    var identity: [IdentityRule]?
    var expectations: Expectations?
    var alert: AlertPolicy?
    var priority: JournalPriority?
    var labels: [EndpointConfiguration.Label] = []
    var isEnabled: Bool?

    /// This layer where it says something, and `base` where it doesn't.
    ///
    /// Query, headers and labels are merged by name; everything else is taken whole.
    func merged(over base: EndpointLayer) -> EndpointLayer {
        var merged = EndpointLayer()
        merged.query = Self.merged(query, over: base.query) { $0.name }
        merged.headers = Self.merged(headers, over: base.headers) { $0.name.lowercased() }
        merged.labels = Self.merged(labels, over: base.labels) { $0.name.uppercased() }
        merged.method = method ?? base.method
        merged.body = body ?? base.body
        merged.authentication = authentication ?? base.authentication
        merged.interval = interval ?? base.interval
        merged.jitter = jitter ?? base.jitter
        merged.timeout = timeout ?? base.timeout
        merged.connectTimeout = connectTimeout ?? base.connectTimeout
        merged.retry = retry ?? base.retry
        merged.maximumRedirects = maximumRedirects ?? base.maximumRedirects
        merged.maximumBodyBytes = maximumBodyBytes ?? base.maximumBodyBytes
        merged.cache = cache ?? base.cache
        merged.format = format ?? base.format
        merged.ignore = ignore ?? base.ignore
        merged.identity = identity ?? base.identity
        merged.expectations = expectations ?? base.expectations
        merged.alert = alert ?? base.alert
        merged.priority = priority ?? base.priority
        merged.isEnabled = isEnabled ?? base.isEnabled
        return merged
    }

    /// The values of `base` whose key `own` does not have, then those of `own`.
    private static func merged<Value>(
        _ own: [Value], over base: [Value], by key: (Value) -> String
    ) -> [Value] {
        if own.isEmpty { return base }
        if base.isEmpty { return own }
        let replaced = Set(own.map(key))
        return base.filter { !replaced.contains(key($0)) } + own
    }

    /// The endpoint that this layer, complete, describes.
    func endpoint(name: EndpointName, url: String) -> EndpointConfiguration {
        var endpoint = EndpointConfiguration(name: name, request: request(url: url))
        if let interval { endpoint.interval = interval }
        if let jitter { endpoint.jitter = jitter }
        if let retry { endpoint.retry = retry }
        if let cache { endpoint.cache = cache }
        if let format { endpoint.format = format }
        if let ignore { endpoint.rules.ignore = ignore }
        if let identity { endpoint.rules.identity = identity }
        if let expectations { endpoint.expectations = expectations }
        if let alert { endpoint.alert = alert }
        if let priority { endpoint.priority = priority }
        if let isEnabled { endpoint.isEnabled = isEnabled }
        endpoint.labels = labels.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return endpoint
    }

    private func request(url: String) -> RequestConfiguration {
        var request = RequestConfiguration(url: url)
        request.query = query.map(\.parameter)
        request.headers = headers.map(\.parameter)
        request.body = body?.body
        request.authentication = authentication
        if let method { request.method = method }
        if let timeout { request.timeout = timeout }
        // A shorter limit on the whole attempt limits its connection too.
        request.connectTimeout = min(connectTimeout ?? request.connectTimeout, request.timeout)
        if let maximumRedirects { request.maximumRedirects = maximumRedirects }
        if let maximumBodyBytes { request.maximumBodyBytes = maximumBodyBytes }
        return request
    }
}
