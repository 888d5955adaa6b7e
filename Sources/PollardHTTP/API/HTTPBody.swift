// SPDX-License-Identifier: Apache-2.0

/// The content of a request, with the media type that it has unless a header field says another.
public struct HTTPBody: Sendable {
    private enum Content: Sendable {
        case value(any Encodable & Sendable, isJSON: Bool)
        case bytes([UInt8], contentType: String?)
        case file(String, contentType: String?)
        case form(MultipartForm)
    }

    private let content: Content

    /// A value as a JSON text, made with the settings of the client's encoder.
    ///
    /// The request fails with `NetworkError.Code.encoding` if that makes something else; see
    /// `encoded(_:)`.
    public static func json(_ value: some Encodable & Sendable) -> Self {
        Self(content: .value(value, isJSON: true))
    }

    /// A value in whatever format the client's encoder has, JSON or another.
    public static func encoded(_ value: some Encodable & Sendable) -> Self {
        Self(content: .value(value, isJSON: false))
    }

    /// A JSON text, sent as it is: `application/json`.
    public static func json(text: String) -> Self {
        .bytes(Array(text.utf8), contentType: "application/json")
    }

    /// The fields of a form: `application/x-www-form-urlencoded`.
    public static func form(_ items: [QueryItem]) -> Self {
        let text = items.map(\.inForm).joined(separator: "&")
        return .bytes(Array(text.utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// A text in UTF-8: `text/plain; charset=utf-8`.
    public static func text(_ text: String) -> Self {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// Bytes as they are; without a media type, none is sent.
    public static func bytes(_ bytes: [UInt8], contentType: String?) -> Self {
        Self(content: .bytes(bytes, contentType: contentType))
    }

    /// A file, which is read while it is sent; without a media type, none is sent.
    public static func file(_ path: String, contentType: String?) -> Self {
        Self(content: .file(path, contentType: contentType))
    }

    /// The values and files of a form: `multipart/form-data`.
    public static func multipart(_ form: MultipartForm) -> Self { Self(content: .form(form)) }

    /// Gives `request` this content, and the media type unless it has one.
    ///
    /// - Throws: `NetworkError.Code.encoding`, and `invalidRequest` for a form that can't be sent.
    func add(
        to request: inout HTTPRequest, encodedBy encoder: any BodyEncoder
    ) throws(NetworkError) {
        let type: String?
        switch content {
        case .bytes(let bytes, let contentType): (request.body, type) = (bytes, contentType)
        case .value(let value, let isJSON):
            guard !isJSON || encoder.makesJSON else {
                var error = NetworkError(
                    .encoding,
                    "the content can't be JSON: the client's encoder makes "
                        + "'\(encoder.contentType.escaped)'")
                error.hint = "give it as '.encoded(...)' to have it in that format"
                throw error
            }
            request.body = try encoder.content(of: value)
            type = encoder.contentType
        case .file(let path, let contentType):
            (request.upload, type) = (.file(path), contentType)
        case .form(let form):
            request.upload = try form.upload()
            type = form.contentType
        }
        if let type, request.fields["Content-Type"] == nil {
            request.fields["Content-Type"] = type
        }
    }
}

extension BodyEncoder {
    /// Whether what it makes is JSON, by the media type (RFC 6839, 3.1).
    fileprivate var makesJSON: Bool {
        let type = contentType.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        return type == "application/json" || type.hasSuffix("+json")
    }

    /// Encodes, with the error that callers see.
    ///
    /// - Throws: `NetworkError.Code.encoding` with its cause.
    func content(of value: some Encodable) throws(NetworkError) -> [UInt8] {
        do {
            return try encode(value)
        } catch {
            throw NetworkError(
                .encoding, "the content can't be encoded from '\(type(of: value))'",
                underlying: CodingFailure(error))
        }
    }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What kind of content it is, and of what size, without any of it.
    public var description: String {
        switch content {
        case .value(let value, _): "a value of the type '\(type(of: value))'"
        case .bytes(let bytes, let type):
            "\(bytes.count) bytes" + (type.map { " of the type '\($0.escaped)'" } ?? "")
        case .file(let path, _): "the file '\(path.escaped)'"
        case .form(let form): form.description
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// What `description` has.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
