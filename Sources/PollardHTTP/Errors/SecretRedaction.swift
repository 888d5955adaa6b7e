// SPDX-License-Identifier: Apache-2.0

/// Takes secrets out of what a server said before it becomes part of an error.
///
/// A server may well repeat what it was sent, and its answer may hold secrets of its own. Known
/// values are taken out wherever they are, escaped or not; others by what stands before them.
struct SecretRedaction: Sendable {
    private let known: KnownSecrets
    /// What takes out the credentials of the client.
    private let client: (@Sendable (String) -> String)?

    /// Makes a redaction of these values; empty ones are left out.
    init(_ secrets: [String] = [], and client: (@Sendable (String) -> String)? = nil) {
        self.client = client
        known = KnownSecrets(secrets)
    }

    /// Makes a redaction of the secrets that an endpoint sends, and of its client's.
    init(of endpoint: some Endpoint, and client: @escaping @Sendable (String) -> String) {
        let items = endpoint.queryItems.filter { Self.isSecretName($0.name) }
        self.init(
            (endpoint.authentication?.secrets ?? [])
                + endpoint.headers.secrets(named: endpoint.credentialFields)
                + items.compactMap(\.value), and: client)
    }

    /// Makes a redaction of the secrets among the fields and in the query of a request.
    init(of request: HTTPRequest) {
        let query = request.url.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        var values: [String] = []
        for item in query.split(separator: "&") {
            let name = item.prefix { $0 != "=" }
            guard Self.isSecretName(String(name)) else { continue }
            let value = String(item[name.endIndex...].dropFirst())
            values += [value, PercentEncoding.decoded(value)]
        }
        self.init(request.fields.secrets(named: request.credentialFields) + values)
    }

    /// What stands for a secret.
    static let mark = "[removed]"

    /// The beginning of a text on one line, without secrets, in single quotes.
    ///
    /// - Parameters:
    ///   - text: What a server sent.
    ///   - limit: The most characters that are quoted; what is left out is shown as `...`.
    /// - Returns: As `'no such person'`.
    func excerpt(of text: String, upTo limit: Int) -> String {
        "'\(line(of: text, upTo: limit))'"
    }

    /// The beginning of a text on one line, without secrets and without characters that are not
    /// seen.
    func line(of text: String, upTo limit: Int) -> String {
        // Known secrets go first: cut in two, they would not be known.
        let whole = withoutKnown(text.utf8.count > Self.window ? Self.beginning(of: text) : text)
        let isCut = text.utf8.count > Self.window
        let sure = isCut ? whole.prefix(max(0, whole.count - Self.longestSecret)) : whole[...]
        let head = sure.prefix(limit * 8)
        let line = head.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let clean = withoutLabelled(line).withVisibleControls
        let isWhole = clean.count <= limit && !isCut && head.endIndex == sure.endIndex
        return isWhole ? clean : "\(clean.prefix(limit))..."
    }

    /// Of a text, so much is searched for known secrets: 64 KiB; the whole may have megabytes.
    private static let window = 64 << 10
    /// What the end of the window may have the beginning of: no field that servers take is longer
    /// than 16 KiB.
    private static let longestSecret = 16 << 10

    private static func beginning(of text: String) -> String {
        String(decoding: text.utf8.prefix(window), as: UTF8.self)
    }

    /// A text of one line without secrets.
    func redacted(_ text: String) -> String { withoutLabelled(withoutKnown(text)) }

    /// A text without the secrets that are known.
    func withoutKnown(_ text: String) -> String {
        known.replaced(in: client?(text) ?? text, with: Self.mark)
    }

    /// A text without what is called a secret in it.
    private func withoutLabelled(_ text: String) -> String {
        var text = text
        // `Bearer eyJ...`; a word of lower-case letters is one of the sentence.
        text = text.replacing(
            /(?i:\b(bearer|basic|token))\s+(?=[a-z]*[^a-z\s"'])[A-Za-z0-9+\/=._~\-]{6,}/
        ) { "\($0.1) \(Self.mark)" }
        text = text.replacing(/:\/\/[^\s\/?#@]*@/) { _ in "://\(Self.mark)@" }
        // `"api_key": "..."`, also of a number.
        text = text.replacing(/"([^"]{1,64})"\s*:\s*("(?:[^"\\]|\\.)*"?|[^\s",\]}]+)/) { match in
            Self.isSecretName(String(match.1)) ? "\"\(match.1)\":\"\(Self.mark)\"" : match.0
        }
        // `token=...`, as in a URL or a form.
        return text.replacing(/([A-Za-z0-9_.\-]{1,64})=([^\s&;,"']+)/) { match in
            Self.isSecretName(String(match.1)) ? "\(match.1)=\(Self.mark)" : match.0
        }
    }

    /// Whether a parameter, a member or a field of this name holds a secret by custom.
    static func isSecretName(_ name: String) -> Bool {
        let letters = name.lowercased().filter { $0.isLetter }
        return exactNames.contains(letters) || parts.contains { letters.contains($0) }
    }

    private static let exactNames: Set<String> = [
        "key", "sig", "pwd", "auth", "sid", "jwt", "assertion", "clientassertion",
    ]
    private static let parts = [
        "token", "secret", "passw", "passphrase", "apikey", "accesskey", "privatekey",
        "authorization", "signature", "credential", "cookie", "session",
    ]
}

extension String {
    /// With characters that are not seen, or turn the text around, written as `\u{200B}`.
    var withVisibleControls: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }.joined()
    }
}
