// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// `pollard show NAME [SNAPSHOT]`: a stored snapshot, readable on a terminal and exact elsewhere.
struct ShowCommand {
    let name: String
    /// The snapshot's number or the start of its digest; nil for the last one.
    let snapshot: String?
    let paths: DaemonPaths
    /// Writes the snapshot.
    ///
    /// - Throws: `CommandFailure` if it is not there, or can't be read or written.
    func run(_ output: CommandOutput) throws(CommandFailure) {
        let history = try EndpointHistory(name, at: paths)
        let snapshot =
            if let word = snapshot { try history.snapshot(word) } else { try history.last() }
        if output.isTerminal {
            let text = try history.stored(snapshot).content.shown.printable
            // Not hasSuffix: a carriage return and a newline are one character.
            let isEnded = text.utf8.last == UInt8(ascii: "\n")
            try output.write(Array((isEnded ? text : "\(text)\n").utf8))
        } else {
            try output.write(try history.body(of: snapshot))
        }
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
