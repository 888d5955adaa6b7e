// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// How a value is laid out as text.
    package enum Layout: Sendable {
        /// No white space at all.
        case compact
        /// A line for each item and member, indented by two spaces a level.
        case pretty
    }

    /// The value as JSON text: number texts, escapes and the order of members as they were.
    package func text(_ layout: Layout = .compact) -> String {
        var writer = JSONWriter(layout: layout)
        writer.append(self)
        return String(decoding: writer.text, as: UTF8.self)
    }
}

/// Writes values as JSON text, up to a limit.
struct JSONWriter {
    let layout: JSONValue.Layout
    /// Writing stops soon after this many bytes.
    let limit: Int
    var text: [UInt8] = []

    init(layout: JSONValue.Layout = .compact, limit: Int = .max) {
        self.layout = layout
        self.limit = limit
    }

    /// Whether the limit was passed, so that the text is incomplete.
    var isOverLimit: Bool { text.count > limit }

    /// Appends the whole of `value`, or what fits.
    mutating func append(_ value: JSONValue) {
        append(value.document, value.index, indent: 0)
    }

    private mutating func append(_ document: JSONDocument, _ index: Int, indent: Int) {
        let node = document.tape[index]
        switch node.kind {
        case .null, .boolean, .number: append(document.bytes, node.range)
        case .string: appendString(document.bytes, node)
        case .array: appendItems(document, index, indent: indent)
        case .object: appendMembers(document, index, indent: indent)
        }
    }

    /// Appends no more than shows that the limit is passed.
    private mutating func append(_ bytes: [UInt8], _ range: Range<Int>) {
        let room = max(0, limit &- text.count)
        text.append(contentsOf: bytes[range.count > room ? range.prefix(room + 1) : range])
    }

    private mutating func appendString(_ bytes: [UInt8], _ node: JSONNode) {
        text.append(UInt8(ascii: "\""))
        append(bytes, node.range)
        text.append(UInt8(ascii: "\""))
    }

    private mutating func appendItems(_ document: JSONDocument, _ array: Int, indent: Int) {
        text.append(UInt8(ascii: "["))
        var index = array + 1
        let end = document.tape[array].offset
        while index < end, !isOverLimit {
            separate(isFirst: index == array + 1, indent: indent + 1)
            append(document, index, indent: indent + 1)
            index = document.tape.after(index)
        }
        if document.tape[array].length > 0 { breakLine(indent: indent) }
        text.append(UInt8(ascii: "]"))
    }

    private mutating func appendMembers(_ document: JSONDocument, _ object: Int, indent: Int) {
        text.append(UInt8(ascii: "{"))
        var index = object + 1
        let end = document.tape[object].offset
        while index < end, !isOverLimit {
            separate(isFirst: index == object + 1, indent: indent + 1)
            appendString(document.bytes, document.tape[index])
            text.append(UInt8(ascii: ":"))
            if layout == .pretty { text.append(UInt8(ascii: " ")) }
            append(document, index + 1, indent: indent + 1)
            index = document.tape.after(index + 1)
        }
        if document.tape[object].length > 0 { breakLine(indent: indent) }
        text.append(UInt8(ascii: "}"))
    }

    private mutating func separate(isFirst: Bool, indent: Int) {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        breakLine(indent: indent)
    }

    private mutating func breakLine(indent: Int) {
        guard layout == .pretty else { return }
        text.append(UInt8(ascii: "\n"))
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * 2))
    }
}
