// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// What the command line asks for.
package enum Invocation: Sendable, Equatable {
    case run(Options)
    case check(Options)
    case poll(names: [String], Options)
    case status(names: [String], Options)
    case history(name: String, Options)
    /// A nil snapshot is the last one.
    case show(name: String, snapshot: String?, Options)
    /// From nil to nil is the last change; from a snapshot to nil is up to the last one.
    case diff(name: String, from: String?, to: String?, Options)
    case reload
    /// The help of a command, or of all for nil.
    case help(command: String?)
    case version

    /// The options, as given.
    package struct Options: Sendable, Equatable {
        package var config: String?
        package var state: String?
        package var log: String?
        package var isVerbose = false
        package var isJSON = false
        package var limit: Int?
        package var format: DifferenceFormat?

        package init() {}
    }
}

/// A command line that makes no sense; exit status 64.
package struct UsageError: Error, Sendable, Equatable {
    /// One lower-case clause.
    package var message: String
    /// What to do next.
    package var hint: String
}

extension Invocation {
    /// Reads the command line.
    ///
    /// - Parameter arguments: All words after the program's name.
    /// - Throws: `UsageError` that names the word at fault.
    package init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else {
            throw UsageError(message: "no command given", hint: "see 'pollard --help'")
        }
        switch first {
        case "--help", "-h": self = .help(command: nil)
        case "--version", "-V": self = .version
        case "help": self = try Self.help(for: arguments.dropFirst().first)
        default:
            let command = try Self.specification(of: first)
            var words = CommandWords(command: command, rest: arguments.dropFirst())
            try words.parse()
            self = words.isHelp ? .help(command: command.name) : try words.invocation()
        }
    }

    private static func help(for command: String?) throws(UsageError) -> Invocation {
        guard let command else { return .help(command: nil) }
        return .help(command: try specification(of: command).name)
    }

    private static func specification(of name: String) throws(UsageError) -> CommandSpecification {
        if let found = CommandSpecification.all.first(where: { $0.name == name }) { return found }
        let what = name.hasPrefix("-") ? "option" : "command"
        let near = Suggestion.nearest(to: name, among: CommandSpecification.all.map(\.name))
        throw UsageError(
            message: "unknown \(what) '\(name)'",
            hint: near.map { "did you mean 'pollard \($0)'?" } ?? "see 'pollard --help'")
    }
}
