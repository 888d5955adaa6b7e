// SPDX-License-Identifier: Apache-2.0

/// An answer in the cache, with what decides for which requests it may be used.
struct StoredResponse: Sendable, Hashable {
    /// The URL that it answers, as `CacheKey` has it.
    var url: String
    /// The request fields that selected it, by lower-case name: those of `Vary`, and credentials.
    var selecting: [String: String]
    /// The answer as it came, but for the fields that are not stored.
    var response: HTTPResponse
    /// When it was asked for and received, in seconds since 1970 (RFC 9111, 4.2.3).
    var requestTime: Int64
    /// When its head was received.
    var responseTime: Int64
    /// Whether it must be validated before each use, whatever its directives say.
    var isInvalid = false

    /// The directives of the answer.
    var control: CacheControl { CacheControl(response.fields) }

    /// What it counts for the limits: the content, and about what the rest takes.
    var bytes: Int {
        response.fields.lines.reduce(response.body.count + url.utf8.count + Self.overhead) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
    }

    /// About what the values and the index take beside texts and content, in bytes.
    private static let overhead = 512
}

/// Which requests may share an answer.
enum CacheKey {
    /// The URL as two requests for the same resource have it (RFC 9110, 4.2.3): scheme and host in
    /// lower case, no default port, no fragment, a path.
    ///
    /// - Throws: `NetworkError.Code.invalidURL`.
    static func url(of text: String) throws(NetworkError) -> String {
        let origin = try RequestURL(text).origin
        let scalars = text.unicodeScalars
        let start = scalars.firstRange(of: "://".unicodeScalars)?.upperBound ?? scalars.startIndex
        let rest = scalars[start...].drop { $0 != "/" && $0 != "?" && $0 != "#" }
            .prefix { $0 != "#" }
        let path = rest.first == "/" ? String(rest) : "/\(String(rest))"
        let port = origin.port == origin.defaultPort ? "" : ":\(origin.port)"
        return "\(origin.isSecure ? "https" : "http")://\(origin.host)\(port)\(path)"
    }

    /// Fields that tell one user from another, though no `Vary` names them: a private cache is one
    /// user's, but a program may have several.
    static func credentialNames(of request: HTTPRequest) -> [String] {
        (["authorization"] + request.credentialFields.map { $0.lowercased() })
            .filter { request.fields[$0] != nil }
    }

    /// The request fields that select an answer (RFC 9111, 4.1); nil if none ever does (`*`).
    static func selecting(
        _ request: HTTPRequest, for answer: HTTPFields
    ) -> [String: String]? {
        let names = answer[values: "Vary"].flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed.lowercased() }.filter { !$0.isEmpty }
        guard !names.contains("*") else { return nil }
        var selecting: [String: String] = [:]
        for name in names + ["authorization"] + credentialNames(of: request) {
            selecting[name] = value(of: name, in: request)
        }
        return selecting
    }

    /// Whether an answer that these fields selected may be used for `request`.
    static func selects(_ selecting: [String: String], _ request: HTTPRequest) -> Bool {
        selecting.allSatisfy { value(of: $0.key, in: request) == $0.value }
            && credentialNames(of: request).allSatisfy { selecting[$0] != nil }
    }

    /// A field of a request in the form in which it is compared; credentials as a digest.
    ///
    /// Lines are joined and blanks around commas dropped; languages and codings have no case.
    private static func value(of name: String, in request: HTTPRequest) -> String {
        let lines = request.fields[values: name]
        guard !lines.isEmpty else { return "-" }
        let isSecret =
            secretNames.contains(name)
            || request.credentialFields.contains { $0.lowercased() == name }
        guard !isSecret else {
            return "#\(FNVHash(lines.joined(separator: ",").utf8).hexadecimal)"
        }
        let text = lines.flatMap { $0.splitOutsideQuotes(at: ",") }.joined(separator: ",")
        return "=\(caselessNames.contains(name) ? text.lowercased() : text)"
    }

    private static let secretNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie",
    ]
    private static let caselessNames: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]
}
