// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text with all but RFC 3986's unreserved characters as `%` and two digits.
    var percentEncoded: String {
        var encoded = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return encoded
    }

    /// The text that `percentEncoded`, in either case, stands for; other `%` stay.
    var percentDecoded: String {
        let source = Array(utf8)
        var decoded: [UInt8] = []
        var offset = 0
        while offset < source.count {
            if source[offset] == UInt8(ascii: "%"), offset + 2 < source.count,
                let high = hexadecimalValue(of: source[offset + 1]),
                let low = hexadecimalValue(of: source[offset + 2])
            {
                decoded.append(high << 4 | low)
                offset += 3
            } else {
                decoded.append(source[offset])
                offset += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
