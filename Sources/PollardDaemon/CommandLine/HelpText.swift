// SPDX-License-Identifier: Apache-2.0

/// The texts of `--help` and `--version`, made from the table of commands.
package enum HelpText {
    /// The help of one command, or of the program for nil.
    package static func help(for command: String?) -> String {
        guard let command, let found = CommandSpecification.all.first(where: { $0.name == command })
        else { return overview }
        let options = found.options.map { option in
            ("--" + option.name + (option.value.map { " " + $0 } ?? ""), option.summary)
        }
        return """
            \(usage(of: found))

            \(found.summary.prefix(1).uppercased() + found.summary.dropFirst()).

            Options:
            \(table(options + [("--help", "show this")]))
            """
    }

    /// The synopsis in lines of at most 80 columns.
    private static func usage(of command: CommandSpecification) -> String {
        var lines = ["Usage:"]
        for part in command.synopsisParts {
            if lines[lines.count - 1].count + part.count + 1 > 80 { lines.append("      ") }
            lines[lines.count - 1] += " " + part
        }
        return lines.joined(separator: "\n")
    }

    private static var overview: String {
        let commands = CommandSpecification.all.map { ($0.name, $0.summary) }
        return """
            Usage: pollard COMMAND [OPTION...]

            Polls HTTP endpoints, and tells through the journal what changed and what broke.

            Commands:
            \(table(commands))

            'pollard COMMAND --help' shows the options of a command, 'pollard --version' the version.
            Exit status: 0 good, 1 a poll failed, 64 usage, 65 unusable store, 66 no such input,
            69 unavailable, 74 input/output, 78 configuration.
            """
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, text in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + text
        }.joined(separator: "\n")
    }
}
