// SPDX-License-Identifier: Apache-2.0

/// Writes answers as HTTP/1.1 has them (RFC 9112).
enum AnswerText {
    /// A status line, these fields, and the empty line.
    static func head(_ status: Int, _ fields: LoopbackServer.Fields) -> [UInt8] {
        let lines = fields.lines.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("HTTP/1.1 \(status) \(reasons[status] ?? "Status")\r\n\(lines)\r\n".utf8)
    }

    /// A whole answer, with its length unless the fields say how the content ends.
    static func answer(
        _ status: Int, _ fields: LoopbackServer.Fields, body: [UInt8],
        to request: LoopbackServer.Request?
    ) -> [UInt8] {
        var fields = fields
        let hasNoContent = status < 200 || status == 204 || status == 304
        let isFramed = fields["Content-Length"] != nil || fields["Transfer-Encoding"] != nil
        if !hasNoContent && !isFramed {
            fields.lines.append(.init("Content-Length", String(body.count)))
        }
        let isSent = !hasNoContent && request?.method != "HEAD"
        return head(status, fields) + (isSent ? body : [])
    }

    private static let reasons = [
        200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 408: "Request Timeout", 409: "Conflict", 429: "Too Many Requests",
        500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]
}
