// SPDX-License-Identifier: Apache-2.0

/// Finds the text of a value in a JSON document, to show what could not be decoded.
///
/// It only skips what it need not look at, without building values or recursing, so that a document
/// of any depth is searched in one pass. What is malformed is not found.
struct JSONPlace {
    /// One step into a document.
    enum Step {
        case key(String)
        case index(Int)
    }

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The text of the value at a path, or of the last value on the way to it.
    static func text(at path: [Step], in content: [UInt8]) -> ArraySlice<UInt8> {
        var place = JSONPlace(content)
        place.skipBlanks()
        var found = content[place.position...]
        for step in path {
            guard place.enter(step) else { break }
            found = content[place.position...]
        }
        var end = JSONPlace(content)
        end.position = found.startIndex
        end.skipValue()
        return content[found.startIndex..<end.position]
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
    }

    private mutating func skip(_ character: UInt8) -> Bool {
        skipBlanks()
        guard byte == character else { return false }
        position += 1
        skipBlanks()
        return true
    }

    /// Goes to the value of a member or an element; false if there is none.
    private mutating func enter(_ step: Step) -> Bool {
        switch step {
        case .key(let key):
            guard skip(UInt8(ascii: "{")) else { return false }
            while byte == UInt8(ascii: "\"") {
                let start = position
                skipString()
                let isWanted = bytes[start..<position].elementsEqual("\"\(key)\"".utf8)
                guard skip(UInt8(ascii: ":")) else { return false }
                if isWanted { return true }
                skipValue()
                guard skip(UInt8(ascii: ",")) else { return false }
            }
            return false
        case .index(let index):
            guard skip(UInt8(ascii: "[")), byte != UInt8(ascii: "]") else { return false }
            for _ in 0..<index {
                skipValue()
                guard skip(UInt8(ascii: ",")) else { return false }
            }
            return byte != nil
        }
    }

    private mutating func skipString() {
        position += 1
        while let byte {
            position += 1
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\") { position = min(position + 1, bytes.count) }
        }
    }

    /// Goes behind a value, or to the end of a text that ends within it.
    private mutating func skipValue() {
        var depth = 0
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                position += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return }
                depth -= 1
                position += 1
                if depth == 0 { return }
            case UInt8(ascii: ","):
                if depth == 0 { return }
                position += 1
            default: position += 1
            }
        }
    }
}
