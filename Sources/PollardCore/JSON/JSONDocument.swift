// SPDX-License-Identifier: Apache-2.0

/// A parsed JSON text (RFC 8259): its bytes, and a flat tape of what is in them.
///
/// Nothing is decoded before it is asked for: numbers stay the text that they were, so that none
/// is rounded. Keys are unique in their object. Copies share the memory.
package struct JSONDocument: Sendable {
    /// The largest text, in bytes: what the tape's 27 bits of length allow, 128 MiB less one.
    package static let maximumBytes = JSONNode.maximumLength
    /// The deepest nesting of arrays and objects: far beyond real documents, and shallow enough
    /// for code that follows the nesting by recursion on a thread's stack.
    package static let maximumDepth = 512

    let bytes: [UInt8]
    let tape: [JSONNode]

    /// Parses `bytes`.
    ///
    /// - Throws: `JSONSyntaxError` for anything that RFC 8259 does not allow (also a byte order
    ///   mark, lone surrogates and invalid UTF-8), for a duplicate key, and beyond the limits.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser()
        try parser.parse(bytes.span)
        self.bytes = bytes
        tape = parser.tape
    }

    /// The outermost value.
    package var root: JSONValue { JSONValue(document: self, index: 0) }
}
