// SPDX-License-Identifier: Apache-2.0
internal import PollardDigest

/// An answer in the cache, with what decides for which requests it may be used.
struct StoredResponse: Sendable, Hashable {
    /// The URL that it answers, as `CacheKey` has it.
    var url: String
    /// The request fields that selected it, by lower-case name: those of `Vary`.
    var selecting: [String: String]
    /// The digest of the credentials of its request, as `CacheKey` has it.
    var credentials = ""
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

    /// The SHA-256 of all credentials of a request in hexadecimal digits; empty if it has none.
    ///
    /// They tell one user from another, though no `Vary` names them: a private cache is one user's,
    /// but a program may have several.
    static func credentials(of request: HTTPRequest) -> String {
        let fields = request.fields.lines.map { ($0.name.lowercased(), $0.value) }
            .filter { request.isCredential($0.0) }
        guard !fields.isEmpty else { return "" }
        var writer = ByteWriter()
        for name in Set(fields.map(\.0)).sorted() {
            writer.write(name)
            for (other, value) in fields where other == name { writer.write(value) }
        }
        return SHA256.digest(of: writer.bytes).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The request fields that select an answer (RFC 9111, 4.1); nil if none ever does (`*`).
    static func selecting(
        _ request: HTTPRequest, for answer: HTTPFields
    ) -> [String: String]? {
        let names = answer[values: "Vary"].flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed.lowercased() }.filter { !$0.isEmpty }
        guard !names.contains("*") else { return nil }
        var selecting: [String: String] = [:]
        // Credentials select in any case, and their values are not kept.
        for name in names where !request.isCredential(name) {
            selecting[name] = value(of: name, in: request)
        }
        return selecting
    }

    /// Whether a stored answer may be used for `request`, which has these `credentials`.
    static func selects(
        _ stored: StoredResponse, _ request: HTTPRequest, credentials: String
    ) -> Bool {
        stored.credentials == credentials
            && stored.selecting.allSatisfy { value(of: $0.key, in: request) == $0.value }
    }

    /// A field of a request in the form in which it is compared.
    ///
    /// Lines are joined and blanks around commas dropped; languages and codings have no case.
    private static func value(of name: String, in request: HTTPRequest) -> String {
        let lines = request.fields[values: name]
        guard !lines.isEmpty else { return "-" }
        let text = lines.flatMap { $0.splitOutsideQuotes(at: ",") }.joined(separator: ",")
        return "=\(caselessNames.contains(name) ? text.lowercased() : text)"
    }

    private static let caselessNames: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]
}
