// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

extension NetworkError {
    /// The server answered with a status that is no success.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - method: That of the request.
    ///   - secrets: What is not shown of what the server says.
    /// - Returns: An error of the code `server`.
    static func refusal(
        _ response: HTTPResponse, to method: HTTPMethod, without secrets: SecretRedaction
    ) -> NetworkError {
        let said = response.statement(without: secrets)
        return NetworkError(
            .server,
            "the server answered \(response.statusText) to \(method) "
                + "\(response.url.withoutSecrets)\(said.map { ": \($0)" } ?? "")",
            about: response)
    }
}

extension HTTPResponse {
    /// The status with its reason, as `404 Not Found`.
    ///
    /// The reason is that of the standard, since HTTP/2 sends none.
    var statusText: String { reasonPhrase.map { "\(status) \($0)" } ?? "\(status)" }

    /// What the standard says of the status, as `Not Found` (RFC 9110, 15); nil of success, and
    /// where it says nothing.
    public var reasonPhrase: String? { Self.reasons[status] }

    /// What the server says about its status, in quotes; nil if it says nothing for a person.
    ///
    /// The title and detail of a problem (RFC 9457), or the whole of a short text or JSON.
    func statement(without secrets: SecretRedaction) -> String? {
        let type = (fields["Content-Type"] ?? "").prefix { $0 != ";" }
            .lowercased().filter { !$0.isWhitespace }
        if type == "application/problem+json", let problem = Problem(body) {
            return secrets.excerpt(of: problem.text, upTo: Self.maximumStatementLength)
        }
        let isText =
            type == "text/plain" || type == "application/json" || type.hasSuffix("+json")
        guard isText, !body.isEmpty, body.count <= Self.maximumStatementLength else { return nil }
        let text = String(decoding: body, as: UTF8.self)
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        return secrets.excerpt(of: text, upTo: Self.maximumStatementLength)
    }

    /// The most characters of a statement, and bytes of a text that is short: a line or two.
    private static let maximumStatementLength = 200

    /// The members of a problem that are for people (RFC 9457, 3.1).
    private struct Problem: Decodable {
        var title: String?
        var detail: String?

        /// Reads a problem; nil if neither is there as a text.
        init?(_ content: [UInt8]) {
            // What can't be read tells nothing; the status is the error, not this.
            guard content.count <= HTTPResponse.maximumProblemBytes,
                let problem = try? JSONDecoder().decode(Self.self, from: Data(content)),
                problem.title != nil || problem.detail != nil
            else { return nil }
            self = problem
        }

        var text: String { [title, detail].compactMap { $0 }.joined(separator: ": ") }
    }

    /// 64 KiB: what is longer is no explanation.
    private static let maximumProblemBytes = 64 << 10

    /// The reason phrases of RFC 9110, 15, RFC 6585 and RFC 4918, of what servers send in practice.
    private static let reasons: [Int: String] = [
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency",
        426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        507: "Insufficient Storage", 511: "Network Authentication Required",
    ]
}
