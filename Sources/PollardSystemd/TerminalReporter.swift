// SPDX-License-Identifier: Apache-2.0

package import PollardCore
internal import Synchronization

/// Reports events as readable lines: the local time, the message, its details indented below.
///
///     07:40:32  products: changed: 1 added, 1 updated
///               + /3 {"id":7,"name":"Lamp"}
///               ~ /0/price 10 -> 12
///
/// A line with the date parts one day from the next. Nothing that a server sent reaches the
/// terminal as a control character.
package final class TerminalReporter: Reporting {
    private let output: LineOutput
    private let style: TerminalStyle
    private let now: @Sendable () -> Timestamp
    /// The date of the last event; empty before the first.
    private let date = Mutex("")

    /// - Parameter output: Where lines go; coloured if it is a terminal and its user wants that.
    package convenience init(output: LineOutput = .standardOutput) {
        let style = TerminalStyle.automatic(
            isTerminal: output.isTerminal, environment: { environmentText($0) })
        self.init(output: output, style: style, now: { .now() })
    }

    init(output: LineOutput, style: TerminalStyle, now: @escaping @Sendable () -> Timestamp) {
        self.output = output
        self.style = style
        self.now = now
    }

    package func report(_ entry: EventEntry) {
        let time = CalendarTime.local(now())
        date.withLock { date in
            let header = date.isEmpty || date == time.date ? "" : style(time.date, .dim) + "\n"
            date = time.date
            output.write(header + Self.text(for: entry, at: time, style: style))
        }
    }

    /// The event's lines, each with its newline.
    static func text(
        for entry: EventEntry, at time: CalendarTime, style: TerminalStyle
    ) -> String {
        let lines = entry.message.printable
            .split(separator: "\n", omittingEmptySubsequences: false)
        let indentation = String(repeating: " ", count: time.time.count + 2)
        var text = "\(style(time.time, .dim))  \(headline(lines[0], of: entry, style: style))\n"
        for line in lines.dropFirst() {
            let sign = line.prefix { $0 != " " }
            text += indentation + style(line, rendition(ofDetail: sign)) + "\n"
        }
        return text
    }

    /// The first line, with its endpoint's name set off from what happened there.
    private static func headline(
        _ line: Substring, of entry: EventEntry, style: TerminalStyle
    ) -> String {
        let name = entry.fields.first { $0.name == "POLLARD_ENDPOINT" }?.value.printable
        guard let name, line.hasPrefix(name + ":") else {
            return style(line, rendition(of: entry))
        }
        let rest = line.dropFirst(name.count + 1)
        return style(name, .bold) + style(":", .dim) + style(rest, rendition(of: entry))
    }

    private static func rendition(of entry: EventEntry) -> TerminalStyle.Rendition? {
        switch (entry.id, entry.priority) {
        case (.recovered, _): .boldGreen
        case (.failing, _): .boldRed
        case (_, .emerg), (_, .alert), (_, .crit), (_, .err): .boldRed
        case (_, .warning): .yellow
        case (_, .notice), (_, .info): nil
        case (_, .debug): .dim
        }
    }

    /// How a line of details is set off, by its first word: `+`, `-`, `~` or `>`.
    private static func rendition(ofDetail sign: Substring) -> TerminalStyle.Rendition? {
        switch sign {
        case "+": .green
        case "-": .red
        case "~": .yellow
        case ">": .cyan
        default: .dim
        }
    }
}
