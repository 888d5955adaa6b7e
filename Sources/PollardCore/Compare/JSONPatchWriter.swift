// SPDX-License-Identifier: Apache-2.0

/// Writes an RFC 6902 patch, operation by operation, up to a limit.
struct JSONPatchWriter {
    private let maximumBytes: Int
    private var writer: JSONWriter

    /// - Parameter maximumBytes: The longest patch that is kept, in bytes.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        writer = JSONWriter(limit: maximumBytes)
        writer.text.append(UInt8(ascii: "["))
    }

    /// Whether the patch grew too long; further operations are not written.
    private(set) var isTruncated = false

    /// The whole patch; nil if it grew too long.
    var text: String? {
        isTruncated ? nil : String(decoding: writer.text, as: UTF8.self) + "]"
    }

    mutating func remove(_ path: [UInt8]) {
        operation("remove", path)
    }

    mutating func add(_ path: [UInt8], _ value: JSONValue) {
        operation("add", path, value: value)
    }

    mutating func replace(_ path: [UInt8], _ value: JSONValue) {
        operation("replace", path, value: value)
    }

    mutating func move(_ from: [UInt8], to path: [UInt8]) {
        operation("move", path, from: from)
    }

    private mutating func operation(
        _ name: String, _ path: [UInt8], from: [UInt8]? = nil, value: JSONValue? = nil
    ) {
        guard !isTruncated else { return }
        if writer.text.count > 1 { append(",") }
        append(#"{"op":"\#(name)""#)
        if let from {
            append(#","from":"#)
            appendQuoted(from)
        }
        append(#","path":"#)
        appendQuoted(path)
        if let value {
            append(#","value":"#)
            writer.append(value)
        }
        append("}")
        // The closing bracket counts too.
        if writer.text.count + 1 > maximumBytes {
            isTruncated = true
            writer.text = []
        }
    }

    private mutating func append(_ text: String) { writer.text.append(contentsOf: text.utf8) }

    /// Appends `text` (UTF-8) as a JSON string.
    private mutating func appendQuoted(_ text: [UInt8]) {
        writer.text.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                writer.text.append(UInt8(ascii: "\\"))
                writer.text.append(byte)
            case 0x00...0x1f:
                append(byte < 0x10 ? "\\u000" : "\\u00")
                append(String(byte, radix: 16))
            default: writer.text.append(byte)
            }
        }
        writer.text.append(UInt8(ascii: "\""))
    }
}
