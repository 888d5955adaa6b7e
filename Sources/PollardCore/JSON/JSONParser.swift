// SPDX-License-Identifier: Apache-2.0

/// Turns bytes into a tape in one pass, without recursion, by the letter of RFC 8259.
struct JSONParser {
    /// A container that is not closed yet.
    private struct OpenContainer {
        /// Its index on the tape.
        var index: Int
        var isObject: Bool
        /// The number of items or members so far.
        var count = 0
        /// Where its keys begin among those of all open objects.
        var firstKey: Int
    }

    private(set) var tape: [JSONNode] = []
    private var keys = JSONKeyCheck()
    /// The containers around `current`, outermost first.
    private var outer: [OpenContainer] = []
    private var current: OpenContainer?

    /// Reads the whole of `bytes` as one JSON text.
    mutating func parse(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
        guard bytes.count <= JSONDocument.maximumBytes else {
            throw JSONSyntaxError(
                JSONDocument.maximumBytes, "larger than \(JSONDocument.maximumBytes) bytes")
        }
        if bytes.count >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf {
            throw JSONSyntaxError(0, "a byte order mark is not allowed")
        }
        // Common documents have a node for 8 to 12 bytes.
        tape.reserveCapacity(bytes.count / 8 + 16)
        var offset = 0
        repeat {
            while try readValue(bytes, &offset) {}
        } while try reachNextValue(bytes, &offset)
        guard offset == bytes.count else {
            throw JSONSyntaxError(offset, "unexpected data after the value")
        }
    }

    /// Reads one scalar or empty container, or the opening of another one.
    ///
    /// - Returns: Whether a container was opened, whose first value is next.
    @inline(__always)
    private mutating func readValue(
        _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(JSONSyntaxError) -> Bool {
        offset = bytes.afterWhitespace(offset)
        guard offset < bytes.count else {
            throw JSONSyntaxError(offset, "the text ends where a value is expected")
        }
        switch bytes[offset] {
        case UInt8(ascii: "\""): tape.append(try bytes.scanString(&offset))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            tape.append(try bytes.scanNumber(&offset))
        case UInt8(ascii: "{"): return try open(bytes, &offset, isObject: true)
        case UInt8(ascii: "["): return try open(bytes, &offset, isObject: false)
        default: tape.append(try bytes.scanLiteral(&offset))
        }
        return false
    }

    /// Passes closing brackets and one comma.
    ///
    /// - Returns: Whether another value follows; false at the end of the outermost one.
    @inline(__always)
    private mutating func reachNextValue(
        _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(JSONSyntaxError) -> Bool {
        while true {
            offset = bytes.afterWhitespace(offset)
            guard let container = current else { return false }
            let byte = offset < bytes.count ? bytes[offset] : 0
            if byte == UInt8(ascii: ",") {
                offset &+= 1
                current?.count &+= 1
                if container.isObject {
                    offset = bytes.afterWhitespace(offset)
                    try readKey(bytes, &offset)
                }
                return true
            }
            guard byte == UInt8(ascii: container.isObject ? "}" : "]") else {
                throw unexpected(bytes, offset, in: container)
            }
            offset &+= 1
            try close(container, bytes)
        }
    }

    /// Opens the container at `offset`, and reads its first key if it is an object.
    ///
    /// - Returns: Whether a value follows; false if the container is empty.
    private mutating func open(
        _ bytes: Span<UInt8>, _ offset: inout Int, isObject: Bool
    ) throws(JSONSyntaxError) -> Bool {
        let start = offset
        offset = bytes.afterWhitespace(offset &+ 1)
        if offset < bytes.count, bytes[offset] == UInt8(ascii: isObject ? "}" : "]") {
            guard depth < JSONDocument.maximumDepth else { throw tooDeep(start) }
            offset &+= 1
            tape.append(
                JSONNode(isObject ? .object : .array, length: 0, offset: tape.count &+ 1))
            return false
        }
        guard depth < JSONDocument.maximumDepth else { throw tooDeep(start) }
        if let current { outer.append(current) }
        current = OpenContainer(index: tape.count, isObject: isObject, firstKey: keys.count)
        // Filled in by close(_:_:).
        tape.append(JSONNode(isObject ? .object : .array, length: 0, offset: 0))
        if isObject { try readKey(bytes, &offset) }
        return true
    }

    private mutating func close(
        _ container: OpenContainer, _ bytes: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let count = container.count &+ 1
        tape[container.index] = JSONNode(
            container.isObject ? .object : .array, length: count, offset: tape.count)
        if container.isObject {
            if count > JSONKeyCheck.maximumLinearKeys {
                try JSONKeyCheck.checkMany(of: container.index, on: tape, bytes)
            }
            keys.removeLast(to: container.firstKey)
        }
        current = outer.popLast()
    }

    /// Reads a key and the colon after it.
    @inline(__always)
    private mutating func readKey(
        _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(JSONSyntaxError) {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
            throw JSONSyntaxError(
                offset,
                offset < bytes.count ? "expected a key" : "the text ends where a key is expected")
        }
        let key = try bytes.scanString(&offset)
        if let current, current.count < JSONKeyCheck.maximumLinearKeys {
            try keys.add(key, to: current.index, from: current.firstKey, on: tape, bytes)
        }
        tape.append(key)
        offset = bytes.afterWhitespace(offset)
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: ":") else {
            throw JSONSyntaxError(
                offset, offset < bytes.count ? "expected ':'" : "the text ends after a key")
        }
        offset &+= 1
    }

    private var depth: Int { outer.count &+ (current == nil ? 0 : 1) }

    private func tooDeep(_ offset: Int) -> JSONSyntaxError {
        JSONSyntaxError(offset, "nested deeper than \(JSONDocument.maximumDepth) levels")
    }

    private func unexpected(
        _ bytes: Span<UInt8>, _ offset: Int, in container: OpenContainer
    ) -> JSONSyntaxError {
        guard offset < bytes.count else {
            return JSONSyntaxError(
                offset, "the text ends inside an \(container.isObject ? "object" : "array")")
        }
        return JSONSyntaxError(offset, "expected ',' or '\(container.isObject ? "}" : "]")'")
    }
}
