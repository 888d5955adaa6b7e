// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding by RFC 3986, 2.
enum PercentEncoding {
    /// A value as one path segment, or as a name or value of a query: all but unreserved characters
    /// are encoded, a percent sign too.
    static func value(_ text: String) -> String {
        encode(text.utf8) { isUnreserved($0) }
    }

    /// A path whose slashes separate segments; triplets like `%2F` are kept as they are.
    static func path(_ text: String) -> String {
        encodeKeepingTriplets(text) { isSegmentCharacter($0) || $0 == UInt8(ascii: "/") }
    }

    /// A query whose `&`, `=` and `+` mean what they say; triplets are kept as they are.
    static func query(_ text: String) -> String {
        encodeKeepingTriplets(text) {
            isSegmentCharacter($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
        }
    }

    /// A name or value of `application/x-www-form-urlencoded` (WHATWG URL, 5.2).
    static func formValue(_ text: String) -> String {
        let isKept: (UInt8) -> Bool = { byte in
            byte == UInt8(ascii: "*") || (isUnreserved(byte) && byte != UInt8(ascii: "~"))
        }
        return text.split(separator: " ", omittingEmptySubsequences: false)
            .map { encode($0.utf8, keeping: isKept) }
            .joined(separator: "+")
    }

    /// What an encoded text means; what is no triplet stays as it is.
    static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count(where: isHexadecimal) == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func encodeKeepingTriplets(
        _ text: String, keeping isKept: (UInt8) -> Bool
    ) -> String {
        let bytes = Array(text.utf8)
        return bytes.indices.map { index in
            let isTriplet =
                bytes[index] == UInt8(ascii: "%")
                && bytes[(index + 1)...].prefix(2).count { isHexadecimal($0) } == 2
            return isTriplet ? "%" : encode(bytes[index...index], keeping: isKept)
        }.joined()
    }

    private static func encode(
        _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool
    ) -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    /// ALPHA, DIGIT, `-`, `.`, `_`, `~` (RFC 3986, 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// `pchar` without triplets (RFC 3986, 3.3).
    private static func isSegmentCharacter(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=:@".utf8.contains(byte)
    }
}
