// SPDX-License-Identifier: Apache-2.0

extension PollFailure {
    /// The failure of an answer whose status is not what a poll wants.
    package init(unexpected answer: Answer) {
        let reason = Self.reasons[answer.status].map { " " + $0 } ?? ""
        self.init(
            kind: .status, message: "status \(answer.status)\(reason)", status: answer.status)
        attempts = answer.attempts
        timing = answer.timing
        certificateExpiry = answer.certificateExpiry
    }

    /// The failure with what is known of the answer that it is about.
    package func about(_ answer: Answer) -> PollFailure {
        var failure = self
        failure.status = answer.status
        failure.attempts = answer.attempts
        failure.timing = answer.timing
        failure.certificateExpiry = answer.certificateExpiry
        return failure
    }

    /// The reason phrases of RFC 9110, 15, and RFC 6585, of what servers send in practice.
    private static let reasons: [Int: String] = [
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}
