// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// What the command line asks for.
package enum Invocation: Sendable, Equatable {
    case run(Options)
    case check(Options)
    case poll(names: [String], Options)
    case status(names: [String], Options)
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
            var words = Words(command: command, rest: arguments.dropFirst())
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

/// The words after a command's name, while they are read.
private struct Words {
    let command: CommandSpecification
    var rest: ArraySlice<String>
    var options = Invocation.Options()
    var names: [String] = []
    var isHelp = false

    mutating func parse() throws(UsageError) {
        while let word = rest.popFirst() {
            if word == "--" {
                names += rest
                rest = []
            } else if word == "--help" || word == "-h" {
                isHelp = true
            } else if word.hasPrefix("-"), word != "-" {
                try option(word)
            } else {
                names.append(word)
            }
        }
    }

    private mutating func option(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0].drop { $0 == "-" })
        guard parts[0] == "--" + name,
            let option = command.options.first(where: { $0.name == name })
        else {
            let near = Suggestion.nearest(to: name, among: command.options.map(\.name))
            throw UsageError(
                message: "unknown option '\(parts[0])' for 'pollard \(command.name)'",
                hint: near.map { "did you mean '--\($0)'?" }
                    ?? "see 'pollard \(command.name) --help'")
        }
        var value = parts.count > 1 ? String(parts[1]) : nil
        if let placeholder = option.value {
            value = value ?? rest.popFirst()
            guard let value, !value.isEmpty else {
                throw UsageError(
                    message: "option '--\(name)' needs a value",
                    hint: "write '--\(name) \(placeholder)'")
            }
        } else if value != nil {
            throw UsageError(
                message: "option '--\(name)' takes no value", hint: "write '--\(name)'")
        }
        try set(name, to: value)
    }

    private mutating func set(_ name: String, to value: String?) throws(UsageError) {
        switch name {
        case "config": options.config = value
        case "state": options.state = value
        case "log":
            guard let value, ["journal", "text", "json"].contains(value) else {
                throw UsageError(
                    message: "unknown log format '\(value ?? "")'",
                    hint: "write '--log journal', '--log text' or '--log json'")
            }
            options.log = value
        case "verbose": options.isVerbose = true
        default: options.isJSON = true
        }
    }

    func invocation() throws(UsageError) -> Invocation {
        if command.arguments == nil, let extra = names.first {
            throw UsageError(
                message: "'pollard \(command.name)' takes no argument, but got '\(extra)'",
                hint: "see 'pollard \(command.name) --help'")
        }
        if command.arguments != nil, !command.isArgumentOptional, names.isEmpty {
            throw UsageError(
                message: "'pollard \(command.name)' needs the name of an endpoint",
                hint: "'pollard status' lists them")
        }
        return switch command.name {
        case "run": .run(options)
        case "check": .check(options)
        case "poll": .poll(names: names, options)
        case "reload": .reload
        default: .status(names: names, options)
        }
    }
}
