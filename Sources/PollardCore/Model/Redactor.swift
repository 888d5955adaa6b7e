// SPDX-License-Identifier: Apache-2.0

/// Takes secrets out of texts that people will see.
package struct Redactor: Sendable {
    /// Query parameters whose values are secrets by their names, in lower case.
    package static let secretParameterNames: Set<String> = [
        "access_token", "api-key", "api_key", "apikey", "auth", "client_secret", "key", "password",
        "passwd", "refresh_token", "secret", "sig", "signature", "token",
    ]

    /// The texts to take out: each secret as it is, percent-encoded, and as in a JSON string.
    ///
    /// Longer ones come first, so that a secret within another leaves no rest of it.
    private let forbidden: [String]

    /// Makes a redactor that takes out `secrets` in every form in which they are sent.
    package init(secrets: [Secret]) {
        var forms: Set<String> = []
        for secret in secrets {
            let text = secret.reveal()
            guard !text.isEmpty else { continue }
            forms.formUnion([text, Self.percentEncoded(text), Self.jsonEscaped(text)])
        }
        forbidden = forms.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// `text` with a placeholder for every secret.
    package func redact(_ text: String) -> String {
        var text = text
        for secret in forbidden where text.contains(secret) {
            text.replace(secret, with: Secret.placeholder)
        }
        return text
    }

    /// `summary` with a placeholder for every secret.
    package func redact(_ summary: ChangeSummary) -> ChangeSummary {
        guard !forbidden.isEmpty else { return summary }
        var summary = summary
        summary.lines = summary.lines.map(redact)
        summary.remarks = summary.remarks.map(redact)
        summary.patch = summary.patch.map(redact)
        return summary
    }

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

    private static func jsonEscaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
