// SPDX-License-Identifier: Apache-2.0

/// The characters of a file, checked before the YAML parser sees them.
enum YAMLText {
    /// Checks that `bytes` are UTF-8 without NUL, and drops a UTF-8 byte-order mark.
    ///
    /// - Throws: `YAMLError` at the first byte that does not belong.
    static func validated(_ bytes: [UInt8]) throws(YAMLError) -> [UInt8] {
        let start = Mark(line: 1, column: 1)
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw YAMLError(at: start, "the file is UTF-16", hint: "save it as UTF-8")
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        if let offset = text.firstIndex(of: 0) {
            throw YAMLError(
                at: .place(ofByteAt: offset, in: text), "the file has a NUL byte",
                hint: "save it as a text file in UTF-8")
        }
        if let offset = invalidUTF8(in: text) {
            throw YAMLError(
                at: .place(ofByteAt: offset, in: text), "the file is not UTF-8",
                hint: "save it as UTF-8")
        }
        return text
    }

    private static func invalidUTF8(in bytes: [UInt8]) -> Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }
}
