// SPDX-License-Identifier: Apache-2.0

extension RequestConfiguration {
    /// Every secret that this request sends: what is configured as one, and what is one by its name.
    var secrets: [Secret] {
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
        return found + textsNamedAsSecrets.map { Secret($0) }
    }

    /// The shortest text that is taken out of other texts for its name alone, in bytes.
    ///
    /// Tokens are longer; a `key` that is a word or number would make any text unreadable.
    private static let minimumSecretByName = 8

    /// Texts that are not configured as secrets, but are by the names of what they are sent as.
    private var textsNamedAsSecrets: [String] {
        var fields = query + headers
        if case .form(let more) = body { fields += more }
        var texts = fields.filter { Redactor.isSecret(name: $0.name) }.flatMap { field in
            let text = field.value.reveal()
            // Of `Bearer TOKEN`, the token alone too.
            return [text, text.split(separator: " ").last.map { String($0) } ?? text]
        }
        texts += Self.parameters(of: url).filter { Redactor.isSecret(name: $0.name) }
            .flatMap { [String($0.value), String($0.value).percentDecoded] }
        return texts.filter { $0.utf8.count >= Self.minimumSecretByName }
    }

    /// The URL with its query, parameters that are secrets replaced by a placeholder.
    var displayURL: String {
        let (base, _) = Self.split(url)
        var parts = Self.parameters(of: url).map { name, value in
            let shown = Redactor.isSecret(name: name) ? Secret.placeholder : String(value)
            return value.isEmpty ? String(name) : "\(name)=\(shown)"
        }
        parts += query.map { parameter in
            switch parameter.value {
            case .plain(let text) where !Redactor.isSecret(name: parameter.name):
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
