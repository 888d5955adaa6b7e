// SPDX-License-Identifier: Apache-2.0

extension ChangeSummary {
    /// The counts as a text, as in `1 added, 2 updated`.
    package var counts: String {
        let parts = [
            (added, "added"), (removed, "removed"), (updated, "updated"), (moved, "moved"),
        ]
        .filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        return parts.isEmpty ? "nothing that is counted" : parts.joined(separator: ", ")
    }

    /// The lines below the headline: differences, how many there are beyond, remarks.
    package var details: [String] {
        let further = furtherLines > 0 ? ["... and \(furtherLines.grouped) more"] : []
        return lines + further + remarks.map { "note: \($0)" }
    }

    /// The longest message of a change, in bytes.
    ///
    /// journalctl(1) shows no field of 4096 bytes and more, its name included, as JSON, unless it is
    /// asked for all; the rest is room for the name and for the line that counts what is left out.
    private static let maximumTextBytes = 4000

    /// The headline with the details below, as many as an entry may hold.
    func text(below headline: String) -> String {
        let whole = ([headline] + details).joined(separator: "\n").printable
        guard whole.utf8.count > Self.maximumTextBytes else { return whole }
        var shown = self
        // What must be known to trust the rest is worth more than one line more.
        var room = Self.maximumTextBytes - headline.utf8.count
        room -= remarks.reduce(0) { $0 + $1.printable.utf8.count + "\nnote: ".utf8.count }
        shown.lines = Array(
            lines.prefix { line in
                room -= line.printable.utf8.count + 1
                return room >= 0
            })
        shown.furtherLines += lines.count - shown.lines.count
        return ([headline] + shown.details).joined(separator: "\n").printable
    }

    var fields: [EventEntry.Field] {
        var fields: [EventEntry.Field] = [
            .init("POLLARD_ADDED", String(added)), .init("POLLARD_REMOVED", String(removed)),
            .init("POLLARD_UPDATED", String(updated)), .init("POLLARD_MOVED", String(moved)),
        ]
        if let patch { fields.append(.init("POLLARD_PATCH", patch)) }
        if isPatchTruncated { fields.append(.init("POLLARD_PATCH_TRUNCATED", "1")) }
        return fields
    }
}
