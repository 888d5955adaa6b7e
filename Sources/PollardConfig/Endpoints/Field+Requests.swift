// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// Reads the parts of a request.
extension Field {
    /// The value of `query`: a list repeats its key.
    func queryParameters() -> [EndpointLayer.Parameter]? {
        parameters { value in
            value.looseText(or: " or a list of texts").map { .plain($0) }
        }
    }

    /// The value of `form`: as `query`, and a value may be a secret.
    func formFields(secrets: SecretReader?) -> [RequestConfiguration.Parameter]? {
        parameters { value in
            if let found = value.secretValue(secrets: secrets) { return found }
            return value.looseText(or: " or a list of texts").map { .plain($0) }
        }?.map(\.parameter)
    }

    private func parameters(
        _ read: (Field) -> RequestConfiguration.Value??
    ) -> [EndpointLayer.Parameter]? {
        guard let entries = entries(atMost: Bounds.maximumParameters) else { return nil }
        return entries.flatMap { entry -> [EndpointLayer.Parameter] in
            var values = [entry.value]
            if case .sequence = entry.value.node.content {
                values = entry.value.items(atMost: Bounds.maximumParameters) ?? []
            }
            return values.compactMap { value in
                guard let read = read(value), let value = read else { return nil }
                return EndpointLayer.Parameter(
                    place: entry.keyPlace, parameter: .init(name: entry.key, value: value))
            }
        }
    }

    /// The value of `headers`.
    func headers(secrets: SecretReader?) -> [EndpointLayer.Parameter]? {
        guard let entries = entries(atMost: Bounds.maximumParameters) else { return nil }
        var first: [String: FieldMap.Entry] = [:]
        return entries.compactMap { entry in
            if let problem = HeaderRules.problem(withName: entry.key) {
                entry.error(problem.message, hint: problem.hint)
                return nil
            }
            if secrets == nil, HeaderRules.credentials.contains(entry.key.lowercased()) {
                entry.error(
                    "the header '\(entry.key)' is not allowed in 'defaults'",
                    hint: Self.notForEveryServer)
                return nil
            }
            if let other = first.updateValue(entry, forKey: entry.key.lowercased()) {
                entry.error(
                    "duplicate header '\(entry.key)', first on line \(other.keyPlace.mark.line)",
                    hint: "case does not matter in header names")
            }
            guard let value = entry.value.headerValue(secrets: secrets) else { return nil }
            return EndpointLayer.Parameter(
                place: entry.keyPlace, parameter: .init(name: entry.key, value: value))
        }
    }

    private static let notForEveryServer =
        "it would go to every server; put it into an api or an endpoint"

    private func headerValue(secrets: SecretReader?) -> RequestConfiguration.Value? {
        if let found = secretValue(secrets: secrets) { return found }
        guard let text = looseText(or: " or a secret reference") else { return nil }
        if let problem = HeaderRules.problem(withValue: text) {
            error("the value of '\(name)' \(problem)")
            return nil
        }
        return .plain(text)
    }

    /// The secret if the value is a map; nil inside if that is wrong, nil outside if it is no map.
    private func secretValue(secrets: SecretReader?) -> RequestConfiguration.Value?? {
        guard case .mapping = node.content else { return nil }
        guard let secrets else {
            error(
                "a secret is not allowed in 'defaults'",
                hint: Self.notForEveryServer)
            return .some(nil)
        }
        return .some(secret(from: secrets).map { .secret($0) })
    }

    /// The value of `auth`.
    func authentication(secrets: SecretReader) -> RequestConfiguration.Authentication? {
        guard let entry = map(.authentication)?.onlyEntry() else { return nil }
        switch entry.key {
        case "bearer": return entry.value.secret(from: secrets).map { .bearer($0) }
        case "basic": return entry.value.basic(secrets: secrets)
        default: return entry.value.header(secrets: secrets)
        }
    }

    private func basic(secrets: SecretReader) -> RequestConfiguration.Authentication? {
        guard let map = map(.basic) else { return nil }
        let username = map.required("username")?.userName()
        let password = map.required("password")?.secret(from: secrets)
        guard let username, let password else { return nil }
        return .basic(username: username, password: password)
    }

    private func userName() -> String? {
        guard case .scalar(let scalar) = node.content, scalar.type == .text else {
            typeError("text", hint: "quote it")
            return nil
        }
        // RFC 7617, 2: the first colon ends the user name.
        guard !scalar.text.isEmpty, !scalar.text.contains(":"),
            !scalar.text.hasControlCharacters
        else {
            error("'username' must not be empty, nor have ':' or control characters")
            return nil
        }
        return scalar.text
    }

    private func header(secrets: SecretReader) -> RequestConfiguration.Authentication? {
        guard let map = map(.header) else { return nil }
        let name = map.required("name")?.headerName()
        let value = map.required("value")?.secret(from: secrets)
        guard let name, let value else { return nil }
        return .header(name: name, value: value)
    }

    private func headerName() -> String? {
        guard case .scalar(let scalar) = node.content, scalar.type == .text,
            HeaderRules.problem(withName: scalar.text) == nil
        else {
            error("'name' must be the name of a header that may be set", hint: "as in X-Api-Key")
            return nil
        }
        return scalar.text
    }
}
