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
        }
        patterns = BytePatterns(forms)
    }

    /// `text` with a placeholder for every secret, also where it is escaped as in JSON, or where
    /// only its start is left before an ellipsis.
    package func redact(_ text: String) -> String {
        guard !patterns.isEmpty else { return text }
        let plain = patterns.replacing(in: Array(text.utf8)[...], with: Secret.placeholder)
            .map { String(decoding: $0, as: UTF8.self) }
        return removingEscaped(from: plain ?? text) ?? plain ?? text
    }

    /// `text` without secrets that are escaped, or whose start alone is there; nil if there is none.
    func removingEscaped(
        from text: String, minimumLength: Int = 1, andStarts: Bool = true
    ) -> String? {
        let isCut = andStarts && text.contains(SafeText.ellipsis)
        var result: String?
        for form in EscapedText.Form.all(of: text) where isCut || form.isEscaped {
            let escaped = EscapedText(result ?? text, form)
            let isFound = patterns.isFound(in: escaped.bytes[...], minimumLength: minimumLength)
            guard isCut || isFound else { continue }
            for pattern in patterns.patterns where pattern.count >= minimumLength {
                let rest = EscapedText(result ?? text, form).remove(pattern, andStarts: andStarts)
                result = rest ?? result
            }
        }
        return result
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
