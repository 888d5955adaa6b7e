// SPDX-License-Identifier: Apache-2.0

package import PollardCore

/// Reports each event as one JSON object in a line, with the fields that the journal would have.
///
/// As in `journalctl --output=json`, the keys are field names, all values are strings, and a name
/// that occurs repeatedly has an array. `TIMESTAMP` is first: RFC 3339, UTC, microseconds.
package struct JSONLinesReporter: Reporting {
    private let output: LineOutput
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - output: Where lines go.
    ///   - now: The wall clock; nil for the system's.
    package init(output: LineOutput = .standardOutput, now: (@Sendable () -> Timestamp)? = nil) {
        self.output = output
        self.now = now ?? { .now() }
    }

    package func report(_ entry: EventEntry) {
        output.write(Self.line(for: entry, at: now()))
    }

    /// The line, with its newline.
    static func line(for entry: EventEntry, at instant: Timestamp) -> String {
        let fields =
            [EventEntry.Field("TIMESTAMP", instant.rfc3339(.microseconds))]
            + JournalRecord(entry).fields
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in fields {
            if values[field.name] == nil { names.append(field.name) }
            values[field.name, default: []].append(quoted(field.value))
        }
        let members = names.map { name in
            let texts = values[name] ?? []
            let value = texts.count == 1 ? texts[0] : "[" + texts.joined(separator: ",") + "]"
            return quoted(name) + ":" + value
        }
        return "{" + members.joined(separator: ",") + "}\n"
    }

    /// The text as a JSON string, in which nothing is left that a terminal would obey.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result.printable + "\""
    }
}
