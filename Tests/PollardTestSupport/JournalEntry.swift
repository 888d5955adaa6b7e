// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An entry as `journalctl --output=json --all` shows it.
package struct JournalEntry: Sendable, Equatable {
    /// The fields by name; one that occurs repeatedly has the values joined by newlines.
    package let fields: [String: String]

    package subscript(name: String) -> String? { fields[name] }

    /// The entries of journalctl's output, one in each line.
    ///
    /// - Throws: `DecodingError` if it is something else.
    package static func entries(in output: String) throws -> [JournalEntry] {
        try output.split(separator: "\n").map { line in
            let values = try JSONDecoder().decode([String: Value].self, from: Data(line.utf8))
            return JournalEntry(fields: values.mapValues(\.text))
        }
    }

    /// Text, the bytes of what isn't printable, or several of these.
    private enum Value: Decodable {
        case one(String)
        case several([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let bytes = try? container.decode([UInt8].self) {
                self = .one(String(decoding: bytes, as: UTF8.self))
            } else if let texts = try? container.decode([String].self) {
                self = .several(texts)
            } else {
                self = .one(try container.decode(String.self))
            }
        }

        var text: String {
            switch self {
            case .one(let text): text
            case .several(let texts): texts.joined(separator: "\n")
            }
        }
    }
}
