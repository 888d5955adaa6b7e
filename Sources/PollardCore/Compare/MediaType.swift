// SPDX-License-Identifier: Apache-2.0

/// What a Content-Type field says (RFC 9110, section 8.3), as far as it matters here.
struct MediaType: Equatable {
    /// Type and subtype in lower case, as in `application/json`.
    let name: String
    /// The `charset` parameter in lower case, without quotes.
    let charset: String?

    /// Reads a field's value; what is malformed counts as absent.
    init(_ field: String) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        name = Self.trimmed(parts[0]).lowercased()
        charset = parts.dropFirst().lazy.compactMap(Self.charset).first
    }

    /// A field's value with UTF-8 in the place of another charset.
    static func inUTF8(_ field: String) -> String {
        let type = MediaType(field)
        guard let charset = type.charset, Charset(label: charset) != .utf8 else { return field }
        return "\(type.name); charset=utf-8"
    }

    /// The format that this type stands for.
    var format: ContentFormat {
        if name == "application/json" || name == "text/json" || name.hasSuffix("+json") {
            return .json
        }
        let isText =
            name.hasPrefix("text/") || name.hasSuffix("+xml") || name.hasSuffix("+yaml")
            || Self.textTypes.contains(name)
        return isText ? .text : .bytes
    }

    /// Types that are text in spite of their names.
    private static let textTypes: Set<String> = [
        "application/xml", "application/xml-dtd", "application/javascript",
        "application/ecmascript", "application/x-javascript", "application/yaml",
        "application/x-yaml", "application/toml", "application/sql", "application/x-ndjson",
        "application/jsonl", "application/json-seq", "application/x-www-form-urlencoded",
        "application/graphql", "application/x-sh", "application/openmetrics-text",
    ]

    private static func charset(_ parameter: Substring) -> String? {
        let parts = parameter.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, trimmed(parts[0]).lowercased() == "charset" else { return nil }
        var value = trimmed(parts[1])
        if value.count >= 2, value.first == "\"", value.last == "\"" {
            value = value.dropFirst().dropLast()
        }
        return value.isEmpty ? nil : value.lowercased()
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
