// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259) in a document.
///
/// Two values are equal when they mean the same: the order of an object's members does not
/// matter, and numbers are equal when their exact decimal values are.
package struct JSONValue: Sendable {
    let document: JSONDocument
    /// The value's index on the document's tape.
    let index: Int

    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// The outermost value of the JSON text `bytes`.
    ///
    /// - Throws: `JSONSyntaxError`, as `JSONDocument` does.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        self = try JSONDocument(parsing: bytes).root
    }

    /// The outermost value of the JSON text `text`.
    ///
    /// - Throws: `JSONSyntaxError`, as `JSONDocument` does.
    package init(parsing text: String) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8))
    }

    var node: JSONNode { document.tape[index] }

    package var kind: JSONKind { node.kind }

    package var isNull: Bool { kind == .null }

    /// The value of a boolean; nil for other kinds.
    package var boolean: Bool? { kind == .boolean ? node.isMarked : nil }

    /// The exact text of a number; nil for other kinds.
    package var numberText: String? {
        kind == .number ? String(decoding: document.bytes[node.range], as: UTF8.self) : nil
    }

    /// The characters of a string; nil for other kinds.
    package var string: String? { kind == .string ? document.text(at: index) : nil }

    /// The number of items or members; 0 for scalars.
    package var count: Int { node.isContainer ? node.length : 0 }

    /// The items of an array in order; empty for other kinds.
    package var items: Items { Items(array: self) }

    /// The members of an object in the order of the text; empty for other kinds.
    package var members: Members { Members(object: self) }

    /// The item at `position` of an array, in time linear in it; nil if there is none.
    package subscript(position: Int) -> JSONValue? {
        guard kind == .array, position >= 0 else { return nil }
        return document.item(position, of: index).map {
            JSONValue(document: document, index: $0)
        }
    }

    /// The value of the member `key` of an object, in time linear in it; nil if there is none.
    package subscript(key: String) -> JSONValue? {
        guard kind == .object else { return nil }
        return document.member(Array(key.utf8), of: index).map {
            JSONValue(document: document, index: $0)
        }
    }

    /// The value at `pointer`, seen from this one; nil if there is none.
    package func value(at pointer: JSONPointer) -> JSONValue? {
        document.descendant(pointer.tokens.map { Array($0.utf8) }, of: index).map {
            JSONValue(document: document, index: $0)
        }
    }
}

extension JSONValue: Equatable {
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        JSONEquality(old: left.document, new: right.document)
            .areEqual(left.index, right.index)
    }
}

extension JSONValue {
    /// The items of an array.
    package struct Items: Sequence, Sendable {
        let array: JSONValue

        package func makeIterator() -> Iterator {
            let isArray = array.kind == .array
            return Iterator(
                document: array.document, position: array.index + 1,
                end: isArray ? array.node.offset : array.index + 1)
        }

        package struct Iterator: IteratorProtocol {
            let document: JSONDocument
            var position: Int
            let end: Int

            package mutating func next() -> JSONValue? {
                guard position < end else { return nil }
                defer { position = document.tape.after(position) }
                return JSONValue(document: document, index: position)
            }
        }
    }

    /// The members of an object.
    package struct Members: Sequence, Sendable {
        let object: JSONValue

        package func makeIterator() -> Iterator {
            let isObject = object.kind == .object
            return Iterator(
                document: object.document, position: object.index + 1,
                end: isObject ? object.node.offset : object.index + 1)
        }

        package struct Iterator: IteratorProtocol {
            let document: JSONDocument
            var position: Int
            let end: Int

            package mutating func next() -> (key: String, value: JSONValue)? {
                guard position < end else { return nil }
                let key = document.text(at: position)
                let value = JSONValue(document: document, index: position + 1)
                position = document.tape.after(position + 1)
                return (key, value)
            }
        }
    }
}

extension JSONDocument {
    /// The characters of the string or key at `index` on the tape.
    func text(at index: Int) -> String {
        let node = tape[index]
        guard node.isMarked else { return String(decoding: bytes[node.range], as: UTF8.self) }
        return String(decoding: textBytes(at: index), as: UTF8.self)
    }

    /// The characters of the string or key at `index` on the tape, in UTF-8.
    func textBytes(at index: Int) -> [UInt8] { bytes.span.unescaped(tape[index]) }

    /// The index of the value of the member `key` of the object at `object`.
    func member(_ key: [UInt8], of object: Int) -> Int? {
        var index = object &+ 1
        let end = tape[object].offset
        while index < end {
            if bytes.span.holds(key, tape[index]) { return index &+ 1 }
            index = tape.after(index &+ 1)
        }
        return nil
    }

    /// The index of the item at `position` of the array at `array`.
    func item(_ position: Int, of array: Int) -> Int? {
        guard position < tape[array].length else { return nil }
        var index = array &+ 1
        for _ in 0..<position { index = tape.after(index) }
        return index
    }

    /// The index of what `tokens` (UTF-8, not escaped) lead to from the value at `index`.
    func descendant(_ tokens: [[UInt8]], of index: Int) -> Int? {
        var index = index
        for token in tokens {
            let next: Int?
            switch tape[index].kind {
            case .object: next = member(token, of: index)
            case .array:
                next = JSONPointer.position(token).flatMap { item($0, of: index) }
            default: next = nil
            }
            guard let next else { return nil }
            index = next
        }
        return index
    }
}
