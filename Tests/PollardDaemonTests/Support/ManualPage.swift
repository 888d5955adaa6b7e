// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport

/// A manual page of the project, as written in mdoc(7).
struct ManualPage {
    /// One `.It` of a list with what is below it, lists within it left out.
    struct Item: Equatable {
        /// The title of the section.
        var section: String
        /// The heads of the items around it and its own, as they are shown.
        var path: [String]
        /// The lines below the head.
        var lines: [String] = []

        var head: String { path.last ?? "" }
        var text: String { lines.joined(separator: "\n") }
    }

    /// The formatter of mdoc(7).
    static let mandoc = "/usr/bin/mandoc"

    /// The path of the file.
    let path: String
    /// All lines, without those that are comments.
    let lines: [String]

    /// Reads a page.
    ///
    /// - Parameter name: The name of the file, as in `pollard.1`.
    /// - Throws: `CocoaError` if there is no such page.
    init(_ name: String) throws {
        let file = "Documentation/man/\(name)"
        path = "\(ProjectFiles.root)/\(file)"
        lines = try ProjectFiles.text(of: file)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init).filter { !$0.hasPrefix(".\\\"") }
    }

    /// The lines of the section or subsection below the heading `title`.
    func section(_ title: String) -> [String] {
        let isSection = lines.contains(".Sh \(title)")
        return Array(
            lines.drop { $0 != ".Sh \(title)" && $0 != ".Ss \(title)" }.dropFirst()
                .prefix { !$0.hasPrefix(".Sh ") && (isSection || !$0.hasPrefix(".Ss ")) })
    }

    /// The titles of the subsections of a section.
    func subsections(of title: String) -> [String] {
        section(title).filter { $0.hasPrefix(".Ss ") }.map { String($0.dropFirst(4)) }
    }

    /// The keys that a command's section lists for its option `--json`, sorted.
    func jsonKeys(of command: String) -> [String] {
        let rest = section(command).drop { $0 != "Its keys are" }
        // What stands in parentheses are values. The sentence ends with the last key.
        let end = rest.firstIndex { $0.hasSuffix(" .") } ?? rest.endIndex - 1
        return rest.prefix(through: end).filter { $0.hasPrefix(".Li ") && !$0.contains(")") }
            .map { String($0.split(separator: " ")[1]) }.sorted()
    }

    /// The items of all lists with tags, in their order.
    var items: [Item] {
        var items: [Item] = []
        var section = ""
        // For each open list, its current item.
        var open: [Int?] = []
        for line in lines {
            if line.hasPrefix(".Sh ") {
                section = String(line.dropFirst(4))
            } else if line.hasPrefix(".Bl ") {
                open.append(nil)
            } else if line == ".El" {
                open.removeLast()
            } else if line.hasPrefix(".It ") {
                let outer = open.dropLast().compactMap { $0 }.map { items[$0].head }
                items.append(Item(section: section, path: outer + [Self.shown(line)]))
                open[open.count - 1] = items.count - 1
            } else if let index = open.last ?? nil {
                items[index].lines.append(line)
            }
        }
        return items
    }

    /// The items with tags in a section or subsection.
    func items(in title: String) -> [Item] { items.filter { $0.section == title } }

    /// The rows of the tables in a section, headings left out.
    func rows(in title: String) -> [[String]] {
        section(title).filter { $0.hasPrefix(".It ") && $0.contains(" Ta ") }
            .map { $0.dropFirst(4).split(separator: " Ta ").map(String.init) }
            .filter { !$0[0].hasPrefix("Sy ") }
    }

    /// The blocks of literal lines in a section.
    func blocks(in title: String) -> [String] { Self.blocks(section(title)) }

    /// The blocks of literal lines, and single literal lines, among `lines`.
    static func blocks(_ lines: [String]) -> [String] {
        var blocks: [String] = []
        var block: [String]?
        for line in lines {
            if line.hasPrefix(".Bd -literal") {
                block = []
            } else if line == ".Ed", let lines = block {
                blocks.append(lines.joined(separator: "\n") + "\n")
                block = nil
            } else if line.hasPrefix(".Dl ") {
                blocks.append(line.dropFirst(4) + "\n")
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    /// The page as text without emphasis, in lines as long as they get.
    ///
    /// - Throws: What keeps mandoc from starting.
    func rendered() async throws -> String {
        let run = try await ProgramRun(
            Self.mandoc, ["-T", "ascii", "-O", "width=500", path])
        var text: [Character] = []
        for character in run.output {
            // Emphasis is a character, a step back, and the character again.
            if character == "\u{8}" { text.removeLast() } else { text.append(character) }
        }
        return String(text)
    }

    /// The arguments of a macro line as they are shown.
    static func shown(_ line: String) -> String {
        var text = ""
        var isGlued = true
        for word in line.split(separator: " ").dropFirst() {
            switch word {
            case "Ar", "Cm", "Dv", "Ev", "Fl", "Ic", "Li", "Pa", "Va":
                if word == "Fl" {
                    text += isGlued ? "-" : " -"
                    isGlued = true
                }
            case "Ns": isGlued = true
            default:
                text += (isGlued || word == "," ? "" : " ") + word
                isGlued = false
            }
        }
        return text
    }
}
