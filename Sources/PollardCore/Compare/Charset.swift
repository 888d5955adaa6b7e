// SPDX-License-Identifier: Apache-2.0

/// The character encodings that bodies are understood in.
enum Charset: Equatable {
    case utf8
    case ascii
    /// Also for ISO 8859-1, as the WHATWG Encoding Standard has it.
    case windows1252
    /// By a byte order mark, else little-endian as in the Encoding Standard.
    case utf16
    case utf16LittleEndian
    case utf16BigEndian

    /// Where a body is not in its charset.
    struct Malformed: Error, Equatable {
        /// The offset of the first byte that can't be understood, from 0.
        let offset: Int
    }

    /// The labels that messages name.
    static let knownLabels = "utf-8, us-ascii, iso-8859-1, windows-1252 and utf-16"

    /// The charset for a label in lower case; nil if it is not known.
    init?(label: String) {
        switch label {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252":
            self = .windows1252
        case "utf-16", "utf16": self = .utf16
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        default: return nil
        }
    }

    /// The name for messages.
    var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .ascii: "US-ASCII"
        case .windows1252: "windows-1252"
        case .utf16, .utf16LittleEndian, .utf16BigEndian: "UTF-16"
        }
    }

    /// `body` in UTF-8, without a byte order mark.
    ///
    /// - Throws: `Malformed` if `body` is not in this charset.
    func utf8(from body: [UInt8]) throws(Malformed) -> [UInt8] {
        switch self {
        case .utf8:
            if let offset = Self.firstInvalidUTF8(in: body) { throw Malformed(offset: offset) }
            return body.starts(with: [0xef, 0xbb, 0xbf]) ? Array(body.dropFirst(3)) : body
        case .ascii:
            if let offset = body.firstIndex(where: { $0 >= 0x80 }) {
                throw Malformed(offset: offset)
            }
            return body
        case .windows1252:
            return Self.utf8(fromWindows1252: body)
        case .utf16:
            let isBigEndian = body.starts(with: [0xfe, 0xff])
            return try Self.utf8(fromUTF16: body, isBigEndian: isBigEndian)
        case .utf16LittleEndian: return try Self.utf8(fromUTF16: body, isBigEndian: false)
        case .utf16BigEndian: return try Self.utf8(fromUTF16: body, isBigEndian: true)
        }
    }

    /// The offset of the first byte that does not belong to valid UTF-8; nil if all do.
    static func firstInvalidUTF8(in body: [UInt8]) -> Int? {
        let bytes = body.span
        var offset = 0
        while offset < bytes.count {
            if offset &+ 8 <= bytes.count,
                bytes.word(at: offset) & BytePattern.highBits == 0
            {
                offset &+= 8
                continue
            }
            guard let next = bytes.afterScalar(offset) else { return offset }
            offset = next
        }
        return nil
    }

    private static func utf8(fromWindows1252 body: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(body.count)
        for byte in body {
            let code =
                (0x80...0x9f).contains(byte) ? windows1252Scalars[Int(byte - 0x80)] : UInt16(byte)
            if let scalar = Unicode.Scalar(code) { text.append(contentsOf: scalar.utf8) }
        }
        return text
    }

    /// What 0x80 to 0x9f stand for; the five that stand for nothing are controls, as in browsers.
    private static let windows1252Scalars: [UInt16] = [
        0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
        0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
        0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
        0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
    ]

    private static func utf8(
        fromUTF16 body: [UInt8], isBigEndian: Bool
    ) throws(Malformed) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(body.count)
        func unit(_ offset: Int) -> UInt32? {
            guard offset + 1 < body.count else { return nil }
            let (first, second) = (UInt32(body[offset]), UInt32(body[offset + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        var offset = unit(0) == 0xfeff ? 2 : 0
        while offset < body.count {
            guard var code = unit(offset) else { throw Malformed(offset: offset) }
            var length = 2
            if code & 0xfc00 == 0xd800, let low = unit(offset + 2), low & 0xfc00 == 0xdc00 {
                code = 0x1_0000 + (code & 0x3ff) << 10 + (low & 0x3ff)
                length = 4
            }
            guard let scalar = Unicode.Scalar(code) else { throw Malformed(offset: offset) }
            text.append(contentsOf: scalar.utf8)
            offset += length
        }
        return text
    }
}
