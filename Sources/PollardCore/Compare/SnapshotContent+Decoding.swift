// SPDX-License-Identifier: Apache-2.0

extension SnapshotContent {
    /// Understands `body` by `format`, which `auto` takes from `contentType`.
    ///
    /// Without a Content-Type, valid UTF-8 is text, and all else bytes. A byte order mark before
    /// JSON or text is not part of it (RFC 8259, section 8.1, lets a reader ignore it).
    ///
    /// - Throws: `PollFailure` of kind `extract` if the body is not what the format says, and
    ///   of kind `body` if it is empty where the format has no empty value.
    package init(
        decoding body: [UInt8], contentType: String?, format: ContentFormat
    ) throws(PollFailure) {
        let type = contentType.map(MediaType.init)
        switch format == .auto ? Self.format(of: body, type) : format {
        case .json:
            guard !body.isEmpty else {
                throw PollFailure(kind: .body, message: "the body is empty, which is not JSON")
            }
            self = .json(try Self.json(Self.utf8(body, type)))
        case .text, .auto:
            self = .text(String(decoding: try Self.utf8(body, type), as: UTF8.self))
        case .bytes:
            self = .bytes(body)
        }
    }

    private static func format(of body: [UInt8], _ type: MediaType?) -> ContentFormat {
        guard let type else { return Charset.firstInvalidUTF8(in: body) == nil ? .text : .bytes }
        return type.format
    }

    private static func json(_ text: [UInt8]) throws(PollFailure) -> JSONValue {
        do {
            return try JSONValue(parsing: text)
        } catch {
            throw PollFailure(
                kind: .extract, message: "the body is not JSON: \(error.description(in: text))")
        }
    }

    /// `body` in UTF-8, without a byte order mark.
    private static func utf8(_ body: [UInt8], _ type: MediaType?) throws(PollFailure) -> [UInt8] {
        guard let charset = Charset(label: type?.charset ?? "utf-8") else {
            throw PollFailure(
                kind: .extract,
                message: "the charset '\(SafeText.line(type?.charset ?? "", maximumLength: 40))' "
                    + "is not known: known are \(Charset.knownLabels)")
        }
        do {
            return try charset.utf8(from: body)
        } catch {
            throw PollFailure(
                kind: .extract,
                message: "byte \(error.offset) of the body is not \(charset.name)")
        }
    }
}
