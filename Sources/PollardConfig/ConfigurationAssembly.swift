// SPDX-License-Identifier: Apache-2.0

import PollardCore

/// Puts the files together: `defaults`, then apis, then endpoints.
struct ConfigurationAssembly {
    /// A shared base of endpoints, merged over `defaults`.
    private struct API {
        var place: Place
        /// nil if it is wrong, which has been said.
        var baseURL: String?
        var layer: EndpointLayer
        var isUsed = false
    }

    private let secrets: SecretReader
    private let log: DiagnosticLog
    /// Whether all files could be read; otherwise a missing api may be in one that could not.
    private let isComplete: Bool
    private var defaults = EndpointLayer()
    private var apis: [String: API] = [:]
    private var endpointPlaces: [String: Place] = [:]

    init(secrets: SecretReader, log: DiagnosticLog, isComplete: Bool) {
        self.secrets = secrets
        self.log = log
        self.isComplete = isComplete
    }

    /// The configuration in the main file and those of `conf.d`.
    ///
    /// Where something is wrong, the log says so, and the result must not be used.
    mutating func configuration(main: FieldMap, fragments: [FieldMap]) -> Configuration {
        var configuration = Configuration()
        if let limits = main["limits"]?.map(.limits) {
            if let value = limits["concurrency"]?.integer(in: Bounds.concurrency) {
                configuration.limits.concurrency = value
            }
            if let value = limits["per_host"]?.integer(in: Bounds.perHost) {
                configuration.limits.perHost = value
            }
            if let value = limits["per_host_rate"]?.rate(in: Bounds.perHostRate) {
                configuration.limits.perHostRate = value
            }
        }
        if let path = main["store"]?.map(.store)?["path"] {
            configuration.storePath = path.absolutePath()
        }
        if let map = main["defaults"]?.map(.defaults) {
            defaults = EndpointLayer(map, secrets: nil)
        }
        for file in [main] + fragments { readAPIs(in: file) }
        for file in [main] + fragments {
            for item in file["endpoints"]?.items() ?? [] {
                if let endpoint = endpoint(item) { configuration.endpoints.append(endpoint) }
            }
        }
        requireEndpoints(in: [main] + fragments)
        warn(about: configuration, main: main)
        return configuration
    }

    /// A file that was cut short, or emptied by a full disk, must not end all polling at a reload.
    private func requireEndpoints(in files: [FieldMap]) {
        guard log.isClean, isComplete, files.allSatisfy({ $0["endpoints"] == nil }) else { return }
        log.error(
            "nothing says what to poll: there is no 'endpoints'", in: files[0].field.file, at: nil,
            hint: "write 'endpoints: []' if that is meant")
    }

    private func warn(about configuration: Configuration, main: FieldMap) {
        if !configuration.endpoints.contains(where: \.isEnabled) {
            let message =
                configuration.endpoints.isEmpty
                ? "there are no endpoints" : "all endpoints are disabled"
            log.warning(
                message, in: main.field.file, at: nil, hint: "nothing will be polled")
        }
        for (name, api) in apis where !api.isUsed {
            log.warning(
                "no endpoint uses the api '\(name)'", in: api.place.file, at: api.place.mark,
                hint: nil)
        }
    }

    private mutating func readAPIs(in file: FieldMap) {
        for entry in file["apis"]?.entries() ?? [] {
            guard EndpointName(rawValue: entry.key) != nil else {
                entry.error("'\(entry.key.shown)' is no api name", hint: Self.nameHint)
                continue
            }
            if let first = apis[entry.key]?.place {
                entry.error(
                    "duplicate api '\(entry.key)', first on \(first.reference(from: entry.keyPlace))"
                )
                continue
            }
            // Known by name even if it is wrong, so that endpoints don't complain about it too.
            apis[entry.key] = API(place: entry.keyPlace, layer: defaults)
            guard let map = entry.value.map(.api) else { continue }
            apis[entry.key]?.layer = EndpointLayer(map, secrets: secrets).merged(over: defaults)
            apis[entry.key]?.baseURL = map.required("base_url")?.url(.base)
        }
    }

    private static let nameHint =
        "use up to \(EndpointName.maximumLength) letters, digits, '.', '_' and '-', "
        + "beginning with a letter or digit"

    private mutating func endpoint(_ item: Field) -> EndpointConfiguration? {
        guard let map = item.member(item.node, name: "endpoint").map(.endpoint) else { return nil }
        let name = endpointName(map.required("name"))
        let own = EndpointLayer(map, secrets: secrets)
        guard let target = target(of: map) else { return nil }
        let layer = own.merged(over: target.base)
        check(layer, of: map)
        guard let name, let url = target.url else { return nil }
        if own.expectations?.certificate != nil, url.lowercased().hasPrefix("http:") {
            // Inherited from an api or `defaults` it is meant for those with TLS.
            log.warning(
                "'certificate' is checked with TLS only, and the URL begins with http:",
                in: map.field.file, at: map["expect"]?.place.mark,
                hint: "use https:, or leave it out")
        }
        return layer.endpoint(name: name, url: url)
    }

    private mutating func endpointName(_ field: Field?) -> EndpointName? {
        guard let field, let text = field.text() else { return nil }
        guard let name = EndpointName(rawValue: text) else {
            field.error("'\(text.shown)' is no endpoint name", hint: Self.nameHint)
            return nil
        }
        if let first = endpointPlaces[text] {
            field.error(
                "duplicate endpoint '\(text)', first on \(first.reference(from: field.place))")
            return nil
        }
        endpointPlaces[text] = field.place
        return name
    }

    /// Where an endpoint's requests go, and what it builds on.
    private mutating func target(of map: FieldMap) -> (url: String?, base: EndpointLayer)? {
        if let url = map["url"] {
            for entry in map.entries(among: ["api", "path"]) {
                entry.error(
                    "'\(entry.key)' is not allowed beside 'url'",
                    hint: "write 'url', or 'api' and 'path'")
            }
            return (url.url(.absolute), defaults)
        }
        guard let api = map["api"] else {
            map.field.error(
                "an endpoint needs 'url', or 'api' and 'path'",
                hint: map["path"] == nil ? nil : "'path' is appended to the base URL of an api")
            return nil
        }
        let path = map.required("path", hint: "it is appended to the base URL of the api")?
            .url(.path)
        guard let name = api.text() else { return nil }
        guard let found = apis[name] else {
            guard isComplete else { return nil }
            api.error(
                "there is no api '\(name.shown)'",
                hint: Suggestion.hint(for: name, among: apis.keys)
                    ?? "apis are defined under the key 'apis'")
            return nil
        }
        apis[name]?.isUsed = true
        guard let path, let base = found.baseURL else { return (nil, found.layer) }
        return (URLRules.join(base: base, path: path), found.layer)
    }

    /// Checks what can only be seen when all layers are there.
    private func check(_ layer: EndpointLayer, of map: FieldMap) {
        if let body = layer.body, layer.method == nil {
            log.error(
                "a request with a body needs a 'method'", in: body.place.file,
                at: body.place.mark, hint: "add for example 'method: POST'")
        }
        guard let authentication = layer.authentication else { return }
        let field = authentication.headerName
        for header in layer.headers where header.name.lowercased() == field.lowercased() {
            log.error(
                "'auth' sets the header '\(field)' too", in: header.place.file,
                at: header.place.mark, hint: "remove one of them")
        }
    }
}

extension RequestConfiguration.Authentication {
    /// The header field that carries the credentials.
    fileprivate var headerName: String {
        switch self {
        case .bearer, .basic: "Authorization"
        case .header(let name, _): name
        }
    }
}

extension Field {
    /// A URL or path in which nothing is wrong.
    fileprivate func url(_ form: URLRules.Form) -> String? {
        guard let text = text(isSecret: true) else { return nil }
        do throws(URLProblem) {
            try URLRules.check(text, as: form)
            return text
        } catch {
            self.error("'\(name)' \(error.message)", hint: error.hint)
            return nil
        }
    }

    /// A path that does not depend on the directory that the daemon was started in.
    fileprivate func absolutePath() -> String? {
        guard let text = text() else { return nil }
        guard text.hasPrefix("/"), !text.hasSuffix("/"), !text.hasControlCharacters else {
            error("'\(name)' must be the absolute path of a file")
            return nil
        }
        return text
    }
}
