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
    let patterns: BytePatterns

    /// Makes a redactor that takes out `secrets` in every form in which they are sent.
    package init(secrets: [Secret]) {
        var forms: Set<String> = []
        for secret in secrets {
            let text = secret.reveal()
            guard !text.isEmpty else { continue }
            forms.insert(text)
            // As a form sends them; elsewhere a plus sign means itself.
            forms.insert(text.replacing(" ", with: "+"))
            forms.insert(text.percentEncoded.replacing("%20", with: "+"))
            // Of a short one, the letters would be those of a word.
            guard text.utf8.count >= Self.minimumSecretInBody else { continue }
            let base64 = text.base64
            forms.insert(base64)
            forms.insert(base64.replacing("=", with: ""))
        }
        patterns = BytePatterns(forms)
    }

    /// `text` with a placeholder for every secret, also where it is escaped as `Escapes` says, or
    /// where only its start is left before an ellipsis.
    package func redact(_ text: String) -> String {
        guard !patterns.isEmpty else { return text }
        return patterns.replacing(
            in: Array(text.utf8)[...], with: Secret.placeholder, andStarts: true
        ).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// `validators` without those that hold a secret, which must not be kept.
    package func redact(_ validators: Validators) -> Validators {
        guard !patterns.isEmpty else { return validators }
        var kept = validators
        kept.entityTag = kept.entityTag.flatMap { redact($0) == $0 ? $0 : nil }
        kept.lastModified = kept.lastModified.flatMap { redact($0) == $0 ? $0 : nil }
        return kept
    }

    /// `summary` with a placeholder for every secret.
    package func redact(_ summary: ChangeSummary) -> ChangeSummary {
        guard !patterns.isEmpty else { return summary }
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
