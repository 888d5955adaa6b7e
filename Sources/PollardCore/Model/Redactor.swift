// SPDX-License-Identifier: Apache-2.0

/// Takes secrets out of texts that people will see.
package struct Redactor: Sendable {
    /// Query parameters whose values are secrets by their names, in lower case.
    package static let secretParameterNames: Set<String> = [
        "access_token", "api-key", "api_key", "apikey", "auth", "client_secret", "key", "password",
        "passwd", "refresh_token", "secret", "sig", "signature", "token",
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
            let encoded = Self.percentEncoded(text)
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

    /// Whether the value of a query parameter of this name is a secret whatever it is.
    package static func isSecret(parameter name: some StringProtocol) -> Bool {
        secretParameterNames.contains(name.lowercased())
    }

    private static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return encoded
    }
}
