// SPDX-License-Identifier: Apache-2.0

extension HTTPRequest {
    /// Refuses what would change the meaning of the request on the wire.
    ///
    /// A line break in a field would be another field, and a length that differs from the
    /// content's would be another request.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest`; the message names the field, not its value.
    func validate() throws(NetworkError) {
        guard Self.isToken(method.rawValue) else {
            throw NetworkError(
                .invalidRequest, "the method '\(method.rawValue.escaped)' is no token")
        }
        if method.rawValue == "CONNECT" {
            throw NetworkError(
                .invalidRequest, "CONNECT asks for a tunnel, which is no request for a URL")
        }
        if body != nil, upload != nil {
            throw NetworkError(
                .invalidRequest, "a request can't have both a body and an upload; leave one out")
        }
        try connection?.validate()
        if method == .head, body != nil || upload != nil {
            throw NetworkError(.invalidRequest, "a HEAD request can't have content")
        }
        for field in fields.lines {
            guard Self.isToken(field.name) else {
                throw NetworkError(
                    .invalidRequest, "the field name '\(field.name.escaped)' is no token")
            }
            if Self.holdsControlCharacter(field.value) {
                throw NetworkError(
                    .invalidRequest, "the field '\(field.name)' holds a control character")
            }
        }
        guard fields[values: "Host"].count <= 1 else {
            throw NetworkError(
                .invalidRequest, "a request can't have more than one Host field (RFC 9112, 3.2)")
        }
        if digest != nil, fields["Authorization"] != nil {
            throw NetworkError(
                .invalidRequest,
                "a request can't have both digest authentication and an 'Authorization' field; "
                    + "leave one out")
        }
        for name in ["Content-Length", "Transfer-Encoding", "Expect"] where fields[name] != nil {
            throw NetworkError(
                .invalidRequest, "the field '\(name)' follows from the content; leave it out")
        }
    }

    /// Whether `value` has what no field value may have (RFC 9110, 5.5).
    static func holdsControlCharacter(_ value: String) -> Bool {
        value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
    }

    /// Whether `text` is a token (RFC 9110, 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension String {
    /// With control characters written as `\u{A}`, for messages of one line.
    var escaped: String {
        unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
    }
}
