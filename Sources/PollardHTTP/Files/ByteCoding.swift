// SPDX-License-Identifier: Apache-2.0

/// Writes values one after another, each in a form that `ByteReader` reads back.
struct ByteWriter: Sendable {
    /// What was written.
    private(set) var bytes: [UInt8] = []

    /// 8 bytes, the lowest first.
    mutating func write(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// A signed number in 8 bytes.
    mutating func write(_ value: Int64) { write(UInt64(bitPattern: value)) }

    /// The number of bytes, and the bytes.
    mutating func write(_ value: [UInt8]) {
        write(UInt64(value.count))
        bytes += value
    }

    /// A text in UTF-8, as bytes.
    mutating func write(_ value: String) { write(Array(value.utf8)) }

    /// The number of lines, and each name and value.
    mutating func write(_ fields: HTTPFields) {
        write(UInt64(fields.lines.count))
        for line in fields.lines {
            write(line.name)
            write(line.value)
        }
    }
}

/// Reads what a `ByteWriter` wrote; nil for whatever is not there.
struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    /// Begins at the first of `bytes`.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// Whether everything was read.
    var isAtEnd: Bool { place == bytes.endIndex }

    /// 8 bytes, the lowest first.
    mutating func readNumber() -> UInt64? {
        guard bytes.endIndex - place >= 8 else { return nil }
        var value: UInt64 = 0
        for offset in 0..<8 { value |= UInt64(bytes[place + offset]) << UInt64(offset * 8) }
        place += 8
        return value
    }

    /// A signed number in 8 bytes.
    mutating func readSigned() -> Int64? { readNumber().map { Int64(bitPattern: $0) } }

    /// As many bytes as the number before them says.
    mutating func readBytes() -> [UInt8]? {
        guard let count = readNumber(), count <= UInt64(bytes.endIndex - place) else { return nil }
        defer { place += Int(count) }
        return Array(bytes[place..<place + Int(count)])
    }

    /// A text in UTF-8.
    mutating func readText() -> String? {
        readBytes().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Field lines.
    mutating func readFields() -> HTTPFields? {
        guard let count = readNumber() else { return nil }
        var fields = HTTPFields()
        for _ in 0..<count {
            guard let name = readText(), let value = readText() else { return nil }
            fields.append(name, value)
        }
        return fields
    }
}

/// A record in a file of its own: a mark with the version of the format, a checksum, the content.
///
/// ```
/// mark      8 bytes, as "PLCACHE2"
/// checksum  8 bytes, FNV-1a of the content, the lowest first
/// content   to the end of the file
/// ```
enum SealedRecord {
    private static let headBytes = 16

    /// The bytes of the file.
    static func seal(_ content: [UInt8], mark: StaticString) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(FNVHash(content).value)
        return Array(mark.description.utf8) + writer.bytes + content
    }

    /// The content; nil if the file is of another version, damaged or cut.
    static func open(_ bytes: [UInt8], mark: StaticString) -> ArraySlice<UInt8>? {
        guard bytes.count >= headBytes, bytes.starts(with: mark.description.utf8) else {
            return nil
        }
        var reader = ByteReader(bytes[8..<headBytes])
        let content = bytes[headBytes...]
        return reader.readNumber() == FNVHash(content).value ? content : nil
    }
}
