// SPDX-License-Identifier: Apache-2.0

/// Rows of text in columns as wide as their widest cell.
struct TextTable {
    /// A cell, and the colour that it has on a terminal.
    struct Cell: ExpressibleByStringLiteral {
        var text: String
        var colour: Colour?

        init(_ text: String, _ colour: Colour? = nil) {
            self.text = text
            self.colour = colour
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    var header: [String]
    var rows: [[Cell]] = []

    /// The table, a line a row, without blanks at the ends of lines.
    ///
    /// - Parameter isColoured: Whether colours are written.
    /// - Returns: The lines, without a newline at the end.
    func text(isColoured: Bool) -> String {
        let all = [header.map { Cell($0, .grey) }] + rows
        let widths = header.indices.map { column in
            all.map { $0[column].text.count }.max() ?? 0
        }
        return all.map { row in
            let last = row.lastIndex { !$0.text.isEmpty } ?? 0
            return row[...last].enumerated().map { column, cell in
                let padding = column == last ? 0 : widths[column] - cell.text.count + 2
                let shown =
                    if isColoured, let colour = cell.colour {
                        colour(cell.text)
                    } else { cell.text }
                return shown + String(repeating: " ", count: padding)
            }.joined()
        }.joined(separator: "\n")
    }
}
