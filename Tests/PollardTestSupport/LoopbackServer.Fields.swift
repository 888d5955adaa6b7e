// SPDX-License-Identifier: Apache-2.0

extension LoopbackServer {
    /// Header lines in order; a name may repeat.
    ///
    /// The server's own, so that tests of the client do not lean on the client's types.
    package struct Fields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
        /// One header line.
        package struct Line: Sendable, Hashable {
            /// The name as sent.
            package var name: String
            /// The value without white space around it.
            package var value: String

            package init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// All lines in order.
        package var lines: [Line]

        package init(_ lines: [Line] = []) { self.lines = lines }

        package init(dictionaryLiteral elements: (String, String)...) {
            lines = elements.map { Line($0.0, $0.1) }
        }

        /// The first value under `name`, whatever its case.
        package subscript(name: String) -> String? { self[values: name].first }

        /// Every value under `name`, whatever its case, in order.
        package subscript(values name: String) -> [String] {
            let name = name.lowercased()
            return lines.filter { $0.name.lowercased() == name }.map(\.value)
        }

        /// These lines, and then those of `other`.
        package func followed(by other: Fields) -> Fields { Fields(lines + other.lines) }
    }
}
