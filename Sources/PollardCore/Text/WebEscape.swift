// SPDX-License-Identifier: Apache-2.0

/// Characters as URLs and HTML write them.
enum WebEscape {
    /// The longest name or number of a reference that is looked for, in bytes.
    private static let maximumReference = 8

    /// Names of the characters that HTML has to write otherwise.
    private static let names: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"),
        "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"),
    ]

    /// The byte of the escape at `offset`, as `%2f`, and its length (RFC 3986, 2.1).
    static func percent(in source: [UInt8], at offset: Int) -> ([UInt8], Int)? {
        guard offset + 2 < source.count,
            let high = hexadecimalValue(of: source[offset + 1]),
            let low = hexadecimalValue(of: source[offset + 2])
        else { return nil }
        return ([high << 4 | low], 3)
    }

    /// The character of the reference at `offset`, as `&amp;`, `&#47;` or `&#x2F;`, in UTF-8, and
    /// its length.
    static func reference(in source: [UInt8], at offset: Int) -> ([UInt8], Int)? {
        let rest = source[(offset + 1)...].prefix(maximumReference + 1)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let text = String(decoding: source[(offset + 1)..<end], as: UTF8.self)
        let length = end + 1 - offset
        if let byte = names[text] { return ([byte], length) }
        let number: UInt32?
        if text.hasPrefix("#x") || text.hasPrefix("#X") {
            number = UInt32(text.dropFirst(2), radix: 16)
        } else if text.hasPrefix("#") {
            number = UInt32(text.dropFirst())
        } else {
            number = nil
        }
        guard let scalar = number.flatMap(Unicode.Scalar.init) else { return nil }
        return (Array(String(scalar).utf8), length)
    }
}
