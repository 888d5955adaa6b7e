// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardSystemd

/// `pollard history NAME`: the stored changes of an endpoint, newest first.
struct HistoryCommand {
    /// The changes that are shown unless another number is asked for: a screen.
    static let defaultLimit = 20
    /// The changes that are read at a time: each may have a patch of 64 KiB.
    private static let batch = 100

    let name: String
    let limit: Int
    let isJSON: Bool
    let paths: DaemonPaths
    let now: Timestamp

    /// Writes the changes; that there are none is a remark.
    ///
    /// - Throws: `CommandFailure` if the endpoint is not known, or the store can't be read.
    func run(_ output: CommandOutput) throws(CommandFailure) {
        let history = try EndpointHistory(name, at: paths, remarks: output)
        var table = TextTable(header: StoredChange.header)
        var last: Int64?
        var rest = limit
        var isEmpty = true
        while rest > 0 {
            let changes = try history.changes(limit: min(rest, Self.batch), before: last)
            for change in changes {
                if isJSON {
                    try output.write(line: change.json)
                } else {
                    table.rows.append(change.row(now: now))
                }
            }
            rest = changes.count < Self.batch ? 0 : rest - changes.count
            last = changes.last?.id
            isEmpty = isEmpty && changes.isEmpty
        }
        if isEmpty {
            output.remark("pollard: no snapshot of '\(history.name)' is stored yet")
        } else if !isJSON {
            try output.write(line: table.text(isColoured: output.isColoured))
        }
    }
}

extension StoredChange {
    /// The titles of `row(now:)`.
    fileprivate static let header = [
        "CHANGE", "TIME", "AGE", "WHAT", "STATUS", "DURATION", "SNAPSHOT",
    ]

    /// The row of the table; the time is local.
    fileprivate func row(now: Timestamp) -> [TextTable.Cell] {
        let time = CalendarTime.local(snapshot.takenAt)
        let what = kind == .first ? "first snapshot" : summary.counts
        return [
            .init("\(id)"), .init("\(time.date) \(time.time)"),
            .init(snapshot.takenAt.age(at: now)), .init(what),
            .init(poll?.status.map { "\($0)" } ?? "-"), .init(poll?.duration.humane ?? "-"),
            .init(String(snapshot.digest.description.prefix(12)), .grey),
        ]
    }

    /// The change as one JSON object; what is not known is left out.
    fileprivate var json: String {
        var line = JSONLine()
        line.add("change", id)
        line.add("endpoint", name.rawValue)
        line.add("kind", kind.rawValue)
        line.add("event", event)
        line.add("time", snapshot.takenAt.rfc3339())
        line.add("status", poll?.status)
        line.add("duration_usec", poll?.duration.wholeMicroseconds)
        line.add("content_type", snapshot.contentType)
        line.add("snapshot", snapshot.digest.description)
        line.add("previous", previousDigest?.description)
        line.add(summary)
        return line.text
    }
}

extension JSONLine {
    /// Adds what differs: counts, lines, remarks, and the patch as it is.
    mutating func add(_ summary: ChangeSummary) {
        add("added", summary.added)
        add("removed", summary.removed)
        add("updated", summary.updated)
        add("moved", summary.moved)
        add("lines", summary.lines)
        add("further_lines", summary.furtherLines)
        add("remarks", summary.remarks)
        add("patch", json: summary.patch)
    }
}

extension Timestamp {
    /// How long before `now` it was, as in `5 s ago`.
    func age(at now: Timestamp) -> String {
        let age = now.since(self)
        return age < .seconds(1) ? "just now" : "\(age.humane) ago"
    }
}
