// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a JSON text that can be used, and where.
package struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The offset of the byte in question, counted from 0; the length if the text ends too early.
    package let offset: Int
    /// One lower-case clause, as in `expected ',' or ']'`.
    package let message: String

    init(_ offset: Int, _ message: String) {
        self.offset = offset
        self.message = message
    }

    /// As in `byte 17: expected ',' or ']'`.
    package var description: String { "byte \(offset): \(message)" }

    /// As `description`, with the line and column in `bytes`, the text that was parsed.
    package func description(in bytes: [UInt8]) -> String {
        let place = TextPlace(of: offset, in: bytes)
        return "byte \(offset) (line \(place.line), column \(place.column)): \(message)"
    }
}

/// A place in a text as editors show it: line and column, both counted from 1.
package struct TextPlace: Sendable, Equatable {
    package let line: Int
    /// Counted in characters (Unicode scalars), not bytes.
    package let column: Int

    /// The place of the byte at `offset`, which may be the end of `bytes`.
    package init(of offset: Int, in bytes: [UInt8]) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if !UTF8.isContinuation(byte) {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}
