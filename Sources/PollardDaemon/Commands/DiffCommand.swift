// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// How `pollard diff` writes what differs.
package enum DifferenceFormat: String, Sendable, CaseIterable {
    /// Lines for people, as in the journal.
    case text
    /// A JSON Patch (RFC 6902).
    case patch
    /// The format of diff(1) with three lines of context.
    case unified
}

/// `pollard diff NAME [FROM [TO]]`: what differs between two stored snapshots.
struct DiffCommand {
    let name: String
    /// The older snapshot's number or the start of its digest; nil for the one before the last.
    let from: String?
    /// The newer snapshot, likewise; nil for the last.
    let to: String?
    let format: DifferenceFormat
    let isJSON: Bool
    let paths: DaemonPaths

    /// Writes what differs; that nothing does is a remark.
    ///
    /// - Throws: `CommandFailure` if a snapshot is not there, or can't be read or written.
    func run(_ output: CommandOutput) throws(CommandFailure) {
        let history = try EndpointHistory(name, at: paths, remarks: output)
        let (old, new) = try snapshots(history)
        let difference = SnapshotDifference(
            name: history.name, old: try history.stored(old), new: try history.stored(new),
            rules: history.endpoint.configuration.rules)
        if isJSON { return try output.write(line: difference.json) }
        var lines = try difference.lines(in: format)
        if lines.isEmpty {
            output.remark(
                "pollard: snapshots \(old.id) and \(new.id) of '\(history.name)' do not differ")
            // A program that applies the patch needs one.
            if format == .patch { lines = [.init(text: "[]")] }
        }
        let text = lines.map { line in
            let text = output.isTerminal ? line.text.printable : line.text
            return (output.isColoured ? line.colour.map { $0(text) } ?? text : text) + "\n"
        }
        try output.write(Array(text.joined().utf8))
    }

    private func snapshots(
        _ history: EndpointHistory
    ) throws(CommandFailure) -> (old: Snapshot, new: Snapshot) {
        if let from {
            let old = try history.snapshot(from)
            guard let to else { return (old, try history.last()) }
            return (old, try history.snapshot(to))
        }
        let changes = try history.changes(limit: 2)
        guard let last = changes.first else { throw history.noSnapshot }
        guard changes.count == 2 else {
            throw CommandFailure(
                .noInput, "there is only one snapshot of '\(history.name)'",
                hint: "'pollard show \(history.name)' prints it")
        }
        return (changes[1].snapshot, last.snapshot)
    }
}
