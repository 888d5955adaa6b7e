// SPDX-License-Identifier: Apache-2.0

/// The texts of strings and keys, whose escapes were checked by the parser.
extension Span<UInt8> {
    /// Whether two strings hold the same characters, however they are escaped.
    ///
    /// Characters are compared as scalars: no Unicode normalization.
    @inline(__always)
    func hasSameText(_ node: JSONNode, _ other: Span<UInt8>, _ otherNode: JSONNode) -> Bool {
        if node.isMarked || otherNode.isMarked { return hasSameEscaped(node, other, otherNode) }
        return node.length == otherNode.length
            && matches(node.offset, other, otherNode.offset, length: node.length)
    }

    @inline(never)
    private func hasSameEscaped(
        _ node: JSONNode, _ other: Span<UInt8>, _ otherNode: JSONNode
    ) -> Bool {
        if node.length == otherNode.length,
            matches(node.offset, other, otherNode.offset, length: node.length)
        {
            return true
        }
        return unescaped(node) == other.unescaped(otherNode)
    }

    /// Whether the string `node` holds exactly the characters `text` (UTF-8).
    @inline(__always)
    func holds(_ text: [UInt8], _ node: JSONNode) -> Bool {
        guard node.isMarked else {
            return node.length == text.count
                && matches(node.offset, text.span, 0, length: text.count)
        }
        return unescaped(node) == text
    }

    /// The characters of the string `node` in UTF-8.
    func unescaped(_ node: JSONNode) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(node.length)
        var offset = node.offset
        let end = offset &+ node.length
        while offset < end {
            let byte = self[offset]
            if byte == UInt8(ascii: "\\") {
                offset = appendEscape(offset, to: &text)
            } else {
                text.append(byte)
                offset &+= 1
            }
        }
        return text
    }

    /// Appends what the escape at `offset` stands for.
    ///
    /// - Returns: The offset after it.
    private func appendEscape(_ offset: Int, to text: inout [UInt8]) -> Int {
        switch self[offset &+ 1] {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = hexadecimal(offset &+ 2)
            var end = offset &+ 6
            if code & 0xfc00 == 0xd800 {
                code = 0x1_0000 + (code & 0x3ff) << 10 + hexadecimal(offset &+ 8) & 0x3ff
                end = offset &+ 12
            }
            if let scalar = Unicode.Scalar(code) { text.append(contentsOf: scalar.utf8) }
            return end
        case let plain: text.append(plain)
        }
        return offset &+ 2
    }

    private func hexadecimal(_ offset: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in offset..<(offset &+ 4) {
            value = value << 4 | UInt32(hexadecimalValue(of: self[index]) ?? 0)
        }
        return value
    }
}
