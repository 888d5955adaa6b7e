// SPDX-License-Identifier: Apache-2.0

/// A place in a text; line and column count from 1, columns in Unicode scalars.
struct Mark: Hashable, Comparable, Sendable {
    var line: Int
    var column: Int

    static func < (left: Mark, right: Mark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// The place of the byte at `offset` in `bytes`, which are UTF-8 up to there.
    static func place(ofByteAt offset: Int, in bytes: [UInt8]) -> Mark {
        var mark = Mark(line: 1, column: 1)
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                mark = Mark(line: mark.line + 1, column: 1)
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                mark.column += 1
            }
        }
        return mark
    }
}
