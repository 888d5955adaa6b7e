// SPDX-License-Identifier: Apache-2.0

/// Takes secrets out of what a server said before it becomes part of an error.
///
/// A server may well repeat what it was sent, and its answer may hold secrets of its own. Known
/// values are taken out wherever they are, encoded or not; others by what stands before them.
struct SecretRedaction: Sendable {
    private let secrets: [String]
    /// What takes out the credentials of the client.
    private let client: (@Sendable (String) -> String)?

    /// Makes a redaction of these values; empty ones are left out.
    init(_ secrets: [String] = [], and client: (@Sendable (String) -> String)? = nil) {
        self.client = client
        self.secrets = secrets.flatMap {
            [$0, PercentEncoding.value($0), PercentEncoding.formValue($0)]
        }
        .filter { !$0.isEmpty }
        // The longest first: one may be a part of another.
        .sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Makes a redaction of the secrets that an endpoint sends, and of its client's.
    init(of endpoint: some Endpoint, and client: @escaping @Sendable (String) -> String) {
        let names = endpoint.credentialFields.union(Self.credentialFields).map { $0.lowercased() }
        let fields = endpoint.headers.lines.filter { names.contains($0.name.lowercased()) }
        let items = endpoint.queryItems.filter { Self.isSecretName($0.name) }
        self.init(
            (endpoint.authentication?.secrets ?? []) + fields.flatMap(Self.values)
                + items.compactMap(\.value), and: client)
    }

    private static let credentialFields = ["Authorization", "Proxy-Authorization", "Cookie"]

    /// What stands for a secret.
    private static let mark = "[removed]"

    /// The value of a field, and what follows its scheme.
    private static func values(_ field: HTTPFields.Field) -> [String] {
        [field.value]
            + field.value.split(separator: " ", maxSplits: 1).dropFirst().map(String.init)
    }

    /// The beginning of a text on one line, without secrets, in single quotes.
    ///
    /// - Parameters:
    ///   - text: What a server sent.
    ///   - limit: The most characters that are quoted; what is left out is shown as `...`.
    /// - Returns: As `'no such person'`.
    func excerpt(of text: String, upTo limit: Int) -> String {
        // Room for secrets that become shorter; the whole may have megabytes.
        let line = text.prefix(limit * 8).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let clean = redacted(line).withVisibleControls
        return clean.count <= limit ? "'\(clean)'" : "'\(clean.prefix(limit))...'"
    }

    /// A text of one line without secrets.
    func redacted(_ text: String) -> String {
        var text = client?(text) ?? text
        for secret in secrets { text = text.replacing(secret, with: Self.mark) }
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

    private static let exactNames: Set<String> = ["key", "sig", "pwd", "auth", "sid", "jwt"]
    private static let parts = [
        "token", "secret", "passw", "passphrase", "apikey", "accesskey", "privatekey",
        "authorization", "signature", "credential", "cookie", "session",
    ]
}

extension String {
    /// With characters that are not seen, or turn the text around, written as `\u{200B}`.
    fileprivate var withVisibleControls: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }.joined()
    }
}
