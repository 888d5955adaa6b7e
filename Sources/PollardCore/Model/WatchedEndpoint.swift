// SPDX-License-Identifier: Apache-2.0

/// An endpoint with all that follows from its configuration, worked out once.
package struct WatchedEndpoint: Sendable {
    package let configuration: EndpointConfiguration
    /// Changes when the request, the format or the rules do.
    package let fingerprint: String
    /// The URL as it may be shown: secrets replaced by a placeholder.
    package let displayURL: String
    /// Takes this endpoint's secrets out of texts.
    package let redactor: Redactor
    package let schedule: PollSchedule

    package var name: EndpointName { configuration.name }

    package init(_ configuration: EndpointConfiguration) {
        self.configuration = configuration
        redactor = Redactor(secrets: configuration.request.secrets)
        displayURL = redactor.redact(configuration.request.displayURL)
        fingerprint = configuration.fingerprint
        schedule = PollSchedule(
            name: configuration.name, interval: configuration.interval,
            jitter: configuration.jitter)
    }
}

extension EndpointConfiguration {
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

extension RequestConfiguration {
    /// Every secret that this request sends.
    fileprivate var secrets: [Secret] {
        var found = (query + headers).compactMap { $0.value.secret }
        if case .form(let fields) = body { found += fields.compactMap { $0.value.secret } }
        switch authentication {
        case nil: break
        case .bearer(let token): found.append(token)
        case .basic(let username, let password):
            found.append(password)
            // What is sent, and what a server that echoes its request shows (RFC 7617, 2).
            found.append(Secret("\(username):\(password.reveal())".base64))
        case .header(_, let value): found.append(value)
        }
        found += Self.parameters(of: url).filter { Redactor.isSecret(parameter: $0.name) }.map {
            Secret(String($0.value))
        }
        found += query.compactMap { parameter in
            guard Redactor.isSecret(parameter: parameter.name) else { return nil }
            return Secret(parameter.value.reveal())
        }
        return found
    }

    /// The URL with its query, parameters that are secrets replaced by a placeholder.
    fileprivate var displayURL: String {
        let (base, _) = Self.split(url)
        var parts = Self.parameters(of: url).map { name, value in
            let shown = Redactor.isSecret(parameter: name) ? Secret.placeholder : String(value)
            return value.isEmpty ? String(name) : "\(name)=\(shown)"
        }
        parts += query.map { parameter in
            switch parameter.value {
            case .plain(let text) where !Redactor.isSecret(parameter: parameter.name):
                "\(parameter.name)=\(text)"
            default: "\(parameter.name)=\(Secret.placeholder)"
            }
        }
        return parts.isEmpty ? base : base + "?" + parts.joined(separator: "&")
    }

    private static func split(_ url: String) -> (base: String, query: Substring?) {
        guard let mark = url.firstIndex(of: "?") else { return (url, nil) }
        return (String(url[..<mark]), url[url.index(after: mark)...])
    }

    private static func parameters(of url: String) -> [(name: Substring, value: Substring)] {
        guard let query = split(url).query else { return [] }
        return query.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (pair[0], pair.count > 1 ? pair[1] : "")
        }
    }
}

extension RequestConfiguration.Value {
    fileprivate var secret: Secret? {
        guard case .secret(let secret) = self else { return nil }
        return secret
    }
}
