// SPDX-License-Identifier: Apache-2.0

/// Takes secrets out of texts that people will see.
package struct Redactor: Sendable {
    /// Names of secrets, in lower case without `-` and `_`.
    private static let secretNames: Set<String> = [
        "auth", "cookie", "jwt", "key", "pass", "pwd", "sig",
    ]
    /// Parts of names of secrets, as in `private_token` and `X-Amz-Signature`.
    private static let secretNameParts = [
        "accesskey", "apikey", "authorization", "credential", "passwd", "password", "secret",
        "signature", "token",
    ]

    /// The texts to take out: each secret as it is and in the forms in which it is sent.
    ///
    /// Longer ones come first, so that a secret within another leaves no rest of it.
    private let forbidden: [String]

    /// Makes a redactor that takes out `secrets` in every form in which they are sent.
    package init(secrets: [Secret]) {
        var forms: Set<String> = []
        for secret in secrets {
            let text = secret.reveal()
            guard !text.isEmpty else { continue }
            let encoded = text.percentEncoded
            forms.formUnion([text, encoded, encoded.replacing("%20", with: "+")])
        }
        forbidden = forms.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// `text` with a placeholder for every secret, also where it is escaped as in JSON, or where
    /// only its start is left before an ellipsis.
    package func redact(_ text: String) -> String {
        var text = text
        for secret in forbidden where text.contains(secret) {
            text.replace(secret, with: Secret.placeholder)
        }
        guard !forbidden.isEmpty, text.contains("\\") || text.contains(SafeText.ellipsis) else {
            return text
        }
        for secret in forbidden {
            for depth in 1...EscapedText.maximumDepth {
                let rest = EscapedText(text, depth: depth).remove(Array(secret.utf8))
                text = rest ?? text
            }
        }
        return text
    }

    /// `summary` with a placeholder for every secret.
    package func redact(_ summary: ChangeSummary) -> ChangeSummary {
        guard !forbidden.isEmpty else { return summary }
        var summary = summary
        summary.lines = summary.lines.map(redact)
        summary.remarks = summary.remarks.map(redact)
        guard let patch = summary.patch.map(redact), patch != summary.patch else { return summary }
        // A secret of digits may have been a number, and a short one a part of the patch's frame.
        let isJSON = (try? JSONValue(parsing: Array(patch.utf8))) != nil
        summary.patch = isJSON ? patch : nil
        if !isJSON { summary.remarks.append(Self.unpatchable) }
        return summary
    }

    private static let unpatchable = "there is no patch, which would not be JSON without a secret"

    /// Whether the value of a query parameter, header or form field of this name is a secret
    /// whatever it is.
    static func isSecret(name: some StringProtocol) -> Bool {
        let letters = name.lowercased().filter { $0 != "-" && $0 != "_" }
        return secretNames.contains(letters) || secretNameParts.contains { letters.contains($0) }
    }
}
