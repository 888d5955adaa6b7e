// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// Two snapshots of an endpoint, and what differs between them in each format.
struct SnapshotDifference {
    /// A line of output, and the colour that it has on a terminal.
    struct Line {
        /// Without the newline.
        var text: String
        var colour: TextTable.Colour?
    }

    let name: EndpointName
    let old: StoredContent
    let new: StoredContent
    let rules: ComparisonRules

    /// All that differs; none if nothing does.
    ///
    /// - Throws: `CommandFailure` if there is no such form of the difference.
    func lines(in format: DifferenceFormat) throws(CommandFailure) -> [Line] {
        switch format {
        case .text: text
        case .patch: try patch()
        case .unified: unified
        }
    }

    /// All that differs under the rules of today as one JSON object; if nothing does, all counts
    /// in it are 0.
    var json: String {
        var line = JSONLine()
        line.add("endpoint", name.rawValue)
        line.add("from", old.snapshot.id)
        line.add("to", new.snapshot.id)
        line.add("from_time", old.snapshot.takenAt.rfc3339())
        line.add("to_time", new.snapshot.takenAt.rfc3339())
        line.add("previous", old.snapshot.digest.description)
        line.add("snapshot", new.snapshot.digest.description)
        line.add(summary ?? ChangeSummary())
        return line.text
    }

    /// As in the journal, without its limits.
    private var text: [Line] {
        guard let summary else { return [] }
        let digests =
            areLines ? [] : ["~ SHA-256 \(old.snapshot.digest) -> \(new.snapshot.digest)"]
        let numbers = "from \(old.snapshot.id) to \(new.snapshot.id)"
        return [Line(text: "\(name): changed \(numbers): \(summary.counts)")]
            + (summary.details + digests).map { Line(text: $0, colour: Self.colour(of: $0)) }
    }

    private func patch() throws(CommandFailure) -> [Line] {
        guard case .json = old.content, case .json = new.content else {
            let numbers = "from \(old.snapshot.id) to \(new.snapshot.id)"
            throw CommandFailure(
                .noInput, "there is no patch \(numbers) of '\(name)': they are not both JSON",
                hint: "leave out '--format patch'")
        }
        guard let summary else { return [] }
        guard let patch = summary.patch else {
            throw CommandFailure(
                .unavailable,
                "the patch is longer than \(DifferenceBounds.whole.patchBytes.grouped) bytes",
                hint: "'pollard show' writes each snapshot")
        }
        return [Line(text: patch)]
    }

    /// As diff(1) has it; bytes are only said to differ.
    ///
    /// No rules count here: what is ignored is shown, and so is another order of keys.
    private var unified: [Line] {
        guard let oldLines = old.content.lines, let newLines = new.content.lines else {
            guard old.snapshot.digest != new.snapshot.digest else { return [] }
            let text =
                "\(label(old)) and \(label(new)) differ: \(Self.size(old)) -> \(Self.size(new))"
            return [Line(text: text)]
        }
        let hunks = UnifiedDifference(old: oldLines, new: newLines).text.unicodeScalars
        guard !hunks.isEmpty else { return [] }
        let head = [
            Line(text: "--- \(label(old))\t\(old.snapshot.takenAt.rfc3339())", colour: .red),
            Line(text: "+++ \(label(new))\t\(new.snapshot.takenAt.rfc3339())", colour: .green),
        ]
        // Not by characters, of which a carriage return and a newline are one.
        return head
            + hunks.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map {
                Line(text: String($0), colour: Self.colour(of: String($0)))
            }
    }

    private var summary: ChangeSummary? {
        new.content.difference(from: old.content, rules: rules, bounds: .whole)
    }

    private var areLines: Bool { old.content.lines != nil && new.content.lines != nil }

    private func label(_ stored: StoredContent) -> String { "\(name)/\(stored.snapshot.id)" }

    private static func size(_ stored: StoredContent) -> String {
        "\(stored.byteCount.counted("byte")), SHA-256 \(stored.snapshot.digest)"
    }

    private static func colour(of line: String) -> TextTable.Colour? {
        switch line.unicodeScalars.first {
        case "+": .green
        case "-": .red
        case "~": .yellow
        case ">", "@": .cyan
        case " ": nil
        default: .grey
        }
    }
}

extension SnapshotContent {
    /// The content as the lines that a unified difference compares; nil for bytes.
    fileprivate var lines: String? {
        switch self {
        case .json(let value): value.text(.pretty) + "\n"
        case .text(let text): text
        case .bytes: nil
        }
    }
}
