// SPDX-License-Identifier: Apache-2.0

import PollardCore

extension EndpointLayer {
    /// Reads the keys that `map`'s table shares with an endpoint's.
    ///
    /// - Parameters:
    ///   - map: `defaults`, an api or an endpoint.
    ///   - secrets: Where secrets come from; nil where none are allowed.
    init(_ map: FieldMap, secrets: SecretReader?) {
        method = map["method"]?.choice(of: Self.methods)
        query = map["query"]?.queryParameters() ?? []
        headers = map["headers"]?.headers(secrets: secrets) ?? []
        body = Self.body(in: map, secrets: secrets)
        if let secrets, map.table.contains("auth") {
            authentication = map["auth"]?.authentication(secrets: secrets)
        }
        interval = map["interval"]?.duration(in: Bounds.interval)
        jitter = map["jitter"]?.share()
        timeout = map["timeout"]?.duration(in: Bounds.timeout)
        connectTimeout = map["connect_timeout"]?.duration(in: Bounds.timeout)
        if let timeout, let connectTimeout, connectTimeout > timeout {
            map["connect_timeout"]?.error(
                "'connect_timeout' must not be longer than 'timeout', which is "
                    + TimeSpan.text(timeout),
                hint: "'timeout' includes the time to connect")
        }
        retry = map["retry"]?.retry()
        maximumRedirects = map["redirects"]?.choice(of: Self.redirects)
        maximumBodyBytes = map["max_body"]?.size(in: Bounds.maximumBody)
        cache = map["cache"]?.choice(of: EndpointConfiguration.CacheMode.words)
        format = map["format"]?.choice(of: ContentFormat.words)
        ignore = map["ignore"]?.patterns()
        identity = map["identity"]?.identityRules()
        expectations = map["expect"]?.expectations()
        alert = map["alert"]?.alert()
        priority = map["priority"]?.choice(of: JournalPriority.allCases.map { ($0.name, $0) })
        labels = map["labels"]?.labels() ?? []
        isEnabled = map["enabled"]?.flag()
    }

    /// The methods of RFC 9110 and RFC 5789 that make sense to poll with.
    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        .map { (word: $0, value: $0) }

    private static let redirects = [
        (word: "follow", value: RequestConfiguration.defaultMaximumRedirects),
        (word: "none", value: 0),
    ]

    private static func body(in map: FieldMap, secrets: SecretReader?) -> Body? {
        let entries = map.entries(among: ["json", "form", "body"])
        for entry in entries.dropFirst() {
            entry.error(
                "only one of 'json', 'form' and 'body' is allowed",
                hint: "'\(entries[0].key)' is on line \(entries[0].keyPlace.mark.line)")
        }
        let bodies = entries.map { entry -> RequestConfiguration.Body? in
            switch entry.key {
            case "json": entry.value.json().map { .json($0) }
            case "form": entry.value.formFields(secrets: secrets).map { .form($0) }
            default: entry.value.looseText().map { .text($0) }
            }
        }
        guard let entry = entries.first, let body = bodies.first ?? nil else { return nil }
        return Body(place: entry.keyPlace, body: body)
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// The words of an enumeration, for `choice(of:)`.
    fileprivate static var words: [(word: String, value: Self)] {
        allCases.map { ($0.rawValue, $0) }
    }
}

extension Field {
    /// The value of `retry`.
    fileprivate func retry() -> RetryConfiguration? {
        guard let map = map(.retry) else { return nil }
        var retry = RetryConfiguration()
        if let value = map["attempts"]?.integer(in: Bounds.attempts) { retry.attempts = value }
        if let value = map["unsafe"]?.flag() { retry.retriesUnsafeMethods = value }
        let initial = map["initial"]?.duration(in: Bounds.retryDelay)
        let maximum = map["max"]?.duration(in: Bounds.retryDelay)
        if let initial { retry.initial = initial }
        if let maximum { retry.maximum = maximum }
        if retry.initial > retry.maximum {
            (map["initial"] ?? map["max"])?.error(
                "'initial' must not be longer than 'max': \(TimeSpan.text(retry.initial)) "
                    + "against \(TimeSpan.text(retry.maximum))")
        }
        return retry
    }

    /// The value of `expect`.
    fileprivate func expectations() -> Expectations? {
        guard let map = map(.expect) else { return nil }
        var expectations = Expectations()
        expectations.certificate = map["certificate"]?.duration(in: Bounds.certificateLife)
        return expectations
    }

    /// The value of `alert`.
    fileprivate func alert() -> AlertPolicy? {
        guard let map = map(.alert) else { return nil }
        var alert = AlertPolicy()
        if let value = map["after"]?.integer(in: Bounds.threshold) { alert.after = value }
        if let value = map["recover"]?.integer(in: Bounds.threshold) { alert.recover = value }
        alert.within = map["within"]?.integer(in: Bounds.within)
        if let within = alert.within, alert.after > within {
            (map["after"] ?? map["within"])?.error(
                "'after' must not be more than 'within': \(alert.after) against \(within)",
                hint: "as many of the last 'within' polls can't fail")
        }
        alert.remind = map["remind"]?.duration(in: Bounds.reminder)
        return alert
    }

    /// The value of `labels`.
    fileprivate func labels() -> [EndpointConfiguration.Label]? {
        guard let entries = entries(atMost: Bounds.maximumLabels) else { return nil }
        var first: [String: String] = [:]
        return entries.compactMap { entry in
            guard Self.isLabelName(entry.key) else {
                entry.error(
                    "'\(entry.key.shown)' is no label name",
                    hint: "use a letter, then up to 31 letters, digits and '_'")
                return nil
            }
            if let other = first.updateValue(entry.key, forKey: entry.key.uppercased()) {
                entry.error("the labels '\(other)' and '\(entry.key)' are the same journal field")
            }
            guard let text = entry.value.looseText() else { return nil }
            guard !text.hasControlCharacters, text.utf8.count <= Bounds.maximumLabelBytes else {
                entry.value.error(
                    "a label must be one line of at most \(Bounds.maximumLabelBytes) bytes")
                return nil
            }
            return EndpointConfiguration.Label(name: entry.key, value: text)
        }
    }

    private static func isLabelName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first.isLetter else { return false }
        return name.utf8.count <= Bounds.maximumLabelName
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }
}
