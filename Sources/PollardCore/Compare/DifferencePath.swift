// SPDX-License-Identifier: Apache-2.0

/// The way from the top of a document to where the comparison stands.
struct DifferencePath {
    enum Step {
        /// A key, by its index on the new, or the old, document's tape.
        case newKey(Int)
        case oldKey(Int)
        case position(Int)
    }

    private(set) var steps: [Step] = []

    @inline(__always)
    mutating func push(_ step: Step) { steps.append(step) }

    @inline(__always)
    mutating func pop() { steps.removeLast() }

    /// The JSON Pointer to here, in UTF-8, with the further step `last` if there is one.
    func pointer(_ last: Step? = nil, old: JSONDocument, new: JSONDocument) -> [UInt8] {
        var pointer: [UInt8] = []
        for step in steps { Self.append(step, to: &pointer, old: old, new: new) }
        if let last { Self.append(last, to: &pointer, old: old, new: new) }
        return pointer
    }

    private static func append(
        _ step: Step, to pointer: inout [UInt8], old: JSONDocument, new: JSONDocument
    ) {
        pointer.append(UInt8(ascii: "/"))
        switch step {
        case .newKey(let index): appendKey(new.textBytes(at: index), to: &pointer)
        case .oldKey(let index): appendKey(old.textBytes(at: index), to: &pointer)
        case .position(let position): pointer.append(contentsOf: String(position).utf8)
        }
    }

    private static func appendKey(_ key: [UInt8], to pointer: inout [UInt8]) {
        for byte in key {
            switch byte {
            case UInt8(ascii: "~"): pointer.append(contentsOf: "~0".utf8)
            case UInt8(ascii: "/"): pointer.append(contentsOf: "~1".utf8)
            default: pointer.append(byte)
            }
        }
    }
}
