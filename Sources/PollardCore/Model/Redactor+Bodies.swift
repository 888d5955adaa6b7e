// SPDX-License-Identifier: Apache-2.0

/// Secrets that a server sends back in a body, which is to be kept.
extension Redactor {
    /// The shortest secret that is taken out of a body, in bytes: a shorter one may be a word, and
    /// bodies are full of words, in their keys too; tokens are longer.
    static let minimumSecretInBody = 8

    /// `content` with a placeholder for every secret; nil if there is none in it, as nearly always.
    ///
    /// JSON stays JSON: a number that is a secret becomes a string.
    func redact(_ content: SnapshotContent) -> SnapshotContent? {
        guard !patterns.isEmpty else { return nil }
        switch content {
        case .json(let value): return redact(value.document).map { .json($0.root) }
        case .text(let text):
            return redact(Array(text.utf8)[...]).map { .text(String(decoding: $0, as: UTF8.self)) }
        case .bytes(let bytes): return redact(bytes[...]).map { .bytes($0) }
        }
    }

    /// The document without secrets; the whole is one placeholder if it would not be JSON then,
    /// which takes two keys of an object that differ in secrets only.
    private func redact(_ document: JSONDocument) -> JSONDocument? {
        let bytes = document.bytes
        // Where nothing is found in the text of a document, nothing is in its strings.
        guard patterns.isFound(in: bytes[...], minimumLength: Self.minimumSecretInBody) else {
            return nil
        }
        var text: [UInt8] = []
        var copied = 0
        for node in document.tape where node.kind == .string || node.kind == .number {
            let range = node.range
            if node.kind == .number {
                guard isSecret(bytes[range]) else { continue }
                text += bytes[copied..<range.lowerBound]
                text += "\"\(Secret.placeholder)\"".utf8
            } else {
                let string = node.isMarked ? bytes.span.unescaped(node)[...] : bytes[range]
                guard let clean = redact(string) else { continue }
                text += bytes[copied..<range.lowerBound]
                text += Self.escaped(clean)
            }
            copied = range.upperBound
        }
        guard copied > 0 else { return nil }
        text += bytes[copied...]
        let placeholder = Array("\"\(Secret.placeholder)\"".utf8)
        return (try? JSONDocument(parsing: text)) ?? (try? JSONDocument(parsing: placeholder))
    }

    private func isSecret(_ number: ArraySlice<UInt8>) -> Bool {
        number.count >= Self.minimumSecretInBody
            && patterns.patterns.contains { $0[...] == number }
    }

    /// Text without secrets, also where they are escaped; nil if there is none in it.
    private func redact(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        patterns.replacing(
            in: text, with: Secret.placeholder, minimumLength: Self.minimumSecretInBody)
    }

    /// A string's characters as JSON writes them (RFC 8259, 7).
    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                result += (byte < 0x10 ? "\\u000" : "\\u00").utf8
                result += digits.utf8
            default: result.append(byte)
            }
        }
        return result
    }
}

extension SnapshotContent {
    /// The content as a body in UTF-8; bytes as they are.
    var body: [UInt8] {
        switch self {
        case .json(let value): value.document.bytes
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }
}
