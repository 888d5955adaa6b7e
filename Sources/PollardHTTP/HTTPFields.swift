// SPDX-License-Identifier: Apache-2.0

/// Header fields in the order in which they were received or are to be sent (RFC 9110, 5).
///
/// Names are compared without regard to case and kept as written; a name may repeat.
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name as written.
        public var name: String
        /// The value without white space around it.
        public var value: String

        /// Makes a field line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All field lines in order.
    public private(set) var lines: [Field] = []

    /// Makes an empty list of fields.
    public init() {}

    /// Makes fields from a literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value under `name`; setting it replaces every line of that name.
    public subscript(name: String) -> String? {
        get { lines.first { Self.areSame($0.name, name) }?.value }
        set {
            let place = lines.firstIndex { Self.areSame($0.name, name) }
            lines.removeAll { Self.areSame($0.name, name) }
            guard let newValue else { return }
            lines.insert(
                Field(name: name, value: newValue), at: min(place ?? lines.count, lines.count))
        }
    }

    /// Every value under `name`, in order.
    public subscript(values name: String) -> [String] {
        lines.filter { Self.areSame($0.name, name) }.map(\.value)
    }

    /// Adds a line after all others.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Field(name: name, value: value))
    }

    /// Removes every line whose name satisfies `isRemoved`.
    public mutating func removeAll(where isRemoved: (String) -> Bool) {
        lines.removeAll { isRemoved($0.name) }
    }

    /// Removes every line and keeps the memory of the list, for use by another.
    mutating func removeAllKeepingCapacity() { lines.removeAll(keepingCapacity: true) }

    /// Sees to it that the list has room for so many lines.
    mutating func reserveCapacity(_ count: Int) { lines.reserveCapacity(count) }

    /// The same fields in memory of their own.
    func copied() -> HTTPFields {
        var copy = HTTPFields()
        copy.lines.reserveCapacity(lines.count)
        for line in lines { copy.lines.append(line) }
        return copy
    }

    /// Adds text to the value of the last line, as a folded line does; nothing without a line.
    mutating func appendToLast(_ text: String) {
        guard !lines.isEmpty else { return }
        lines[lines.count - 1].value += text
    }

    /// Whether two names are the same field's.
    static func areSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left == right || left.utf8.elementsEqual(right.utf8) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
