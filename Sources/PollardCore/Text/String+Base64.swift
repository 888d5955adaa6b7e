// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text's UTF-8 in base64 with padding (RFC 4648, 4).
    var base64: String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = Array(utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) }
            bits <<= 8 * (3 - group.count)
            let digits = [18, 12, 6, 0].map { alphabet[bits >> $0 & 63] }
            text += digits.prefix(group.count + 1)
            text += repeatElement(UInt8(ascii: "="), count: 3 - group.count)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
