// SPDX-License-Identifier: Apache-2.0

/// A form with values and files: `multipart/form-data` (RFC 7578).
///
/// ```swift
/// let form = MultipartForm([
///     .field("title", "Report"), .file("document", at: "/srv/report.pdf"),
/// ])
/// let request = try HTTPRequest(url: "https://api.example.org/reports", form: form)
/// ```
public struct MultipartForm: Sendable, Hashable {
    /// One value or file of a form.
    public struct Part: Sendable, Hashable {
        /// The name of the form's field.
        public var name: String
        /// The name that the receiver may give the file; nil if it is no file.
        public var filename: String?
        /// The media type; nil for none, which means text.
        public var contentType: String?
        let piece: HTTPUpload.Piece

        /// A text, as a field of a form has it.
        public static func field(_ name: String, _ value: String) -> Part {
            Part(name: name, piece: .bytes(Array(value.utf8)))
        }

        /// A file that is read while it is sent.
        ///
        /// - Parameters:
        ///   - name: The name of the form's field.
        ///   - path: An ordinary file.
        ///   - filename: What the receiver is told; the last part of the path by default.
        ///   - contentType: The media type.
        /// - Returns: The part.
        public static func file(
            _ name: String, at path: String, filename: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            let last = path.split(separator: "/").last.map { String($0) }
            return Part(
                name: name, filename: filename ?? last ?? path, contentType: contentType,
                piece: .file(path))
        }

        /// A file of which the content is in memory.
        ///
        /// - Parameters:
        ///   - name: The name of the form's field.
        ///   - bytes: The content.
        ///   - filename: What the receiver is told; nil for a value that is no file.
        ///   - contentType: The media type.
        /// - Returns: The part.
        public static func bytes(
            _ name: String, _ bytes: [UInt8], filename: String?,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name: name, filename: filename, contentType: contentType, piece: .bytes(bytes))
        }
    }

    /// The parts, in order; a name may repeat.
    public var parts: [Part]
    private let boundary: String

    /// Makes a form.
    ///
    /// - Parameter parts: What it has, in order.
    public init(_ parts: [Part] = []) {
        var generator = SystemRandomNumberGenerator()
        self.init(parts, using: &generator)
    }

    /// Makes a form whose boundary comes from `generator`.
    init(_ parts: [Part], using generator: inout some RandomNumberGenerator) {
        self.parts = parts
        // 128 random bits: no content has them by chance, and nobody can guess them.
        let random = (0..<2).map { _ in
            let text = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        boundary = "pollard-" + random.joined()
    }

    /// The media type, with the boundary that parts are separated by.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The content.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest` for a name, a filename or a media type with a
    ///   control character, such as a line break.
    public func upload() throws(NetworkError) -> HTTPUpload {
        var pieces: [HTTPUpload.Piece] = []
        var text = ""
        for part in parts {
            text += "--\(boundary)\r\n\(try head(of: part))\r\n"
            pieces.append(.bytes(Array(text.utf8)))
            pieces.append(part.piece)
            text = "\r\n"
        }
        pieces.append(.bytes(Array("\(text)--\(boundary)--\r\n".utf8)))
        return HTTPUpload(pieces)
    }

    private func head(of part: Part) throws(NetworkError) -> String {
        var line = "Content-Disposition: form-data; name=\"\(try quoted(part.name, "name"))\""
        if let filename = part.filename {
            line += "; filename=\"\(try quoted(filename, "filename"))\""
        }
        guard let type = part.contentType else { return "\(line)\r\n" }
        try check(type, "media type")
        return "\(line)\r\nContent-Type: \(type)\r\n"
    }

    /// As browsers have it, for which RFC 7578 (2) leaves room: UTF-8, a quote percent-encoded.
    ///
    /// https://html.spec.whatwg.org/multipage/form-control-infrastructure.html
    private func quoted(_ text: String, _ what: String) throws(NetworkError) -> String {
        try check(text, what)
        return text.replacing("\"", with: "%22")
    }

    private func check(_ text: String, _ what: String) throws(NetworkError) {
        guard text.firstControlCharacter == nil else {
            throw NetworkError(
                .invalidRequest,
                "the \(what) '\(text.escaped)' of a form's part has a control character")
        }
    }
}

extension HTTPRequest {
    /// Makes a request that sends a form.
    ///
    /// - Parameters:
    ///   - url: The absolute URL.
    ///   - method: POST by default.
    ///   - fields: Header fields; Content-Type is added.
    ///   - form: What to send.
    /// - Throws: `NetworkError.Code.invalidRequest`, as `MultipartForm.upload()` does.
    public init(
        url: String, method: HTTPMethod = .post, fields: HTTPFields = [:], form: MultipartForm
    ) throws(NetworkError) {
        self.init(url: url, method: method, fields: fields)
        upload = try form.upload()
        self.fields["Content-Type"] = form.contentType
    }
}

extension MultipartForm: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of parts, without any value.
    public var description: String { "a form of \(parts.count) parts" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["form": description]) }
}

extension MultipartForm.Part: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name, without the value.
    public var description: String { "the part '\(name.escaped)'" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["part": description]) }
}
