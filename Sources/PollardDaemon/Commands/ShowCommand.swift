// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// `pollard show NAME [SNAPSHOT]`: a stored snapshot, readable on a terminal and exact elsewhere.
struct ShowCommand {
    let name: String
    /// The snapshot's number or the start of its digest; nil for the last one.
    let snapshot: String?
    let isJSON: Bool
    let paths: DaemonPaths

    /// Writes the snapshot.
    ///
    /// - Throws: `CommandFailure` if it is not there, or can't be read or written.
    func run(_ output: CommandOutput) throws(CommandFailure) {
        let history = try EndpointHistory(name, at: paths, remarks: output)
        let snapshot =
            if let word = snapshot { try history.snapshot(word) } else { try history.last() }
        if isJSON {
            try output.write(line: try history.stored(snapshot).json(of: history.name))
        } else if output.isTerminal {
            let text = try history.stored(snapshot).content.shown.printable
            // Not hasSuffix: a carriage return and a newline are one character.
            let isEnded = text.utf8.last == UInt8(ascii: "\n")
            try output.write(Array((isEnded ? text : "\(text)\n").utf8))
        } else {
            try output.write(try history.body(of: snapshot))
        }
    }
}

extension StoredContent {
    /// The snapshot as one JSON object: the value itself if it is JSON, a string if it is text, and
    /// none for bytes.
    fileprivate func json(of name: EndpointName) -> String {
        var line = JSONLine()
        line.add("change", snapshot.id)
        line.add("endpoint", name.rawValue)
        line.add("time", snapshot.takenAt.rfc3339())
        line.add("content_type", snapshot.contentType)
        line.add("snapshot", snapshot.digest.description)
        line.add("bytes", byteCount)
        switch content {
        case .json(let value): line.add("value", json: value.text())
        case .text(let text): line.add("value", text)
        case .bytes: break
        }
        return line.text
    }
}

extension SnapshotContent {
    /// The content as text for people; bytes are only counted.
    var shown: String {
        switch self {
        case .json(let value): value.text(.pretty)
        case .text(let text): text
        case .bytes(let bytes): "(\(bytes.count.counted("byte")) that are no text)"
        }
    }
}
