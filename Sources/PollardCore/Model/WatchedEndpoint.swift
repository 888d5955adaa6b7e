// SPDX-License-Identifier: Apache-2.0

/// An endpoint with all that follows from its configuration, worked out once.
package struct WatchedEndpoint: Sendable {
    package let configuration: EndpointConfiguration
    /// Changes when the request, the format or the rules do.
    package let fingerprint: String
    /// The URL as it may be shown: secrets replaced by a placeholder.
    package let displayURL: String
    /// The host that is polled, without a port: what has a network in common.
    package let host: String
    /// Whether it is this machine, to which no network leads.
    package let isOnLoopback: Bool
    /// Takes this endpoint's secrets out of texts.
    package let redactor: Redactor
    package let schedule: PollSchedule

    package var name: EndpointName { configuration.name }

    package init(_ configuration: EndpointConfiguration) {
        self.configuration = configuration
        redactor = Redactor(secrets: configuration.request.secrets)
        displayURL = redactor.redact(configuration.request.displayURL)
        let origin = URLOrigin(of: configuration.request.url)
        host = origin.host
        isOnLoopback = origin.isLoopback
        fingerprint = configuration.fingerprint
        schedule = configuration.schedule
    }
}

extension EndpointConfiguration {
    /// When the endpoint is polled.
    package var schedule: PollSchedule {
        PollSchedule(name: name, interval: interval, jitter: jitter)
    }

    /// A text that differs, with near certainty, when answers mean something else than before.
    ///
    /// Secrets are left out: a rotated token asks for the same thing.
    fileprivate var fingerprint: String {
        var hash = StableHash()
        for text in [request.displayURL, request.method, format.rawValue] { hash.combine(text) }
        for header in request.headers {
            hash.combine(header.name)
            if case .plain(let value) = header.value { hash.combine(value) }
        }
        if case .basic(let username, _) = request.authentication { hash.combine(username) }
        switch request.body {
        case nil: break
        case .json(let text), .text(let text): hash.combine(text)
        case .form(let fields):
            for field in fields {
                hash.combine(field.name)
                if case .plain(let value) = field.value { hash.combine(value) }
            }
        }
        for pattern in rules.ignore { hash.combine(pattern.description) }
        for rule in rules.identity {
            hash.combine("identity")
            hash.combine(rule.list?.description ?? "")
            switch rule.identity {
            case .pointer(let pointer): hash.combine(pointer.description)
            case .wholeItem: hash.combine("*")
            }
        }
        return String(hash.value, radix: 16)
    }
}
