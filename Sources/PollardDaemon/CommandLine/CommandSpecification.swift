// SPDX-License-Identifier: Apache-2.0

/// A command of `pollard`, as parsing, help and the manual page know it.
package struct CommandSpecification: Sendable {
    /// An option of a command.
    package struct Option: Sendable {
        /// The name without the two dashes.
        package var name: String
        /// What stands for the value in help texts; nil for an option without a value.
        package var value: String?
        /// One lower-case clause.
        package var summary: String
    }

    package var name: String
    /// One lower-case clause.
    package var summary: String
    /// What stands for the arguments in help texts, as in `NAME [SNAPSHOT]`; empty for none.
    package var arguments = ""
    /// The fewest and the most arguments that it takes.
    package var argumentCount = 0...0
    package var options: [Option]

    /// The synopsis line, as in `pollard status [NAME...] [--json]`.
    package var synopsis: String { synopsisParts.joined(separator: " ") }

    /// What a line of the synopsis is not broken within.
    var synopsisParts: [String] {
        let options = options.map { option in
            option.value.map { "[--\(option.name) \($0)]" } ?? "[--\(option.name)]"
        }
        return ["pollard \(name)"] + (arguments.isEmpty ? [] : [arguments]) + options
    }
}

extension CommandSpecification {
    private static let config = Option(
        name: "config", value: "FILE",
        summary: "the configuration (\(DaemonPaths.defaultConfiguration))")
    private static let state = Option(
        name: "state", value: "DIR",
        summary: "where the store is (\(DaemonPaths.defaultState))")
    private static let json = Option(
        name: "json", value: nil, summary: "print one JSON object a line")

    /// Every command, in the order in which help lists them.
    package static let all: [CommandSpecification] = [
        CommandSpecification(
            name: "run", summary: "poll all endpoints until told to stop",
            options: [
                config, state,
                Option(
                    name: "log", value: "journal|text|json",
                    summary: "how events are written (journal under systemd, else text)"),
                Option(name: "verbose", value: nil, summary: "report every poll"),
            ]),
        CommandSpecification(
            name: "check", summary: "check the configuration, and show every error in it",
            options: [config, json]),
        CommandSpecification(
            name: "poll", summary: "fetch endpoints now and show what came, changing nothing",
            arguments: "NAME...", argumentCount: 1...Int.max, options: [config, state, json]),
        CommandSpecification(
            name: "status", summary: "show how each endpoint is",
            arguments: "[NAME...]", argumentCount: 0...Int.max, options: [config, state, json]),
        CommandSpecification(
            name: "history", summary: "show the last changes of an endpoint, newest first",
            arguments: "NAME", argumentCount: 1...1,
            options: [
                config, state,
                Option(
                    name: "limit", value: "N",
                    summary: "how many changes (\(HistoryCommand.defaultLimit))"),
                json,
            ]),
        CommandSpecification(
            name: "show", summary: "write a stored snapshot, the last one by default",
            arguments: "NAME [SNAPSHOT]", argumentCount: 1...2, options: [config, state, json]),
        CommandSpecification(
            name: "diff", summary: "show what differs between two stored snapshots",
            arguments: "NAME [FROM [TO]]", argumentCount: 1...3,
            options: [
                config, state,
                Option(
                    name: "format",
                    value: DifferenceFormat.allCases.map(\.rawValue).joined(separator: "|"),
                    summary: "lines as in the journal (text), RFC 6902, or as diff(1)"),
                json,
            ]),
        CommandSpecification(
            name: "reload", summary: "what the unit runs to reload: wait until it is done",
            options: []),
    ]
}
