// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// The words after a command's name, while they are read.
struct CommandWords {
    let command: CommandSpecification
    var rest: ArraySlice<String>
    private var options = Invocation.Options()
    private var arguments: [String] = []
    private(set) var isHelp = false

    init(command: CommandSpecification, rest: ArraySlice<String>) {
        self.command = command
        self.rest = rest
    }

    /// Tells options from arguments.
    ///
    /// - Throws: `UsageError` that names the option at fault.
    mutating func parse() throws(UsageError) {
        while let word = rest.popFirst() {
            if word == "--" {
                arguments += rest
                rest = []
            } else if word == "--help" || word == "-h" {
                isHelp = true
            } else if word.hasPrefix("-"), word != "-" {
                try option(word)
            } else {
                arguments.append(word)
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
                hint: near.map { "did you mean '--\($0)'?" } ?? helpHint)
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
        try set(name, to: value ?? "")
    }

    private mutating func set(_ name: String, to value: String) throws(UsageError) {
        switch name {
        case "config": options.config = value
        case "state": options.state = value
        case "log":
            guard ["journal", "text", "json"].contains(value) else {
                throw UsageError(
                    message: "unknown log format '\(value)'",
                    hint: "write '--log journal', '--log text' or '--log json'")
            }
            options.log = value
        case "limit":
            guard let limit = Int(value), limit > 0 else {
                throw UsageError(
                    message: "'\(value)' is no number of changes",
                    hint: "write a whole number from 1 on, as in '--limit 100'")
            }
            options.limit = limit
        case "format":
            guard let format = DifferenceFormat(rawValue: value) else {
                throw UsageError(
                    message: "unknown format '\(value)' of a difference",
                    hint: "write '--format text', '--format patch' or '--format unified'")
            }
            options.format = format
        case "verbose": options.isVerbose = true
        default: options.isJSON = true
        }
    }

    /// What the words ask for.
    ///
    /// - Throws: `UsageError` if arguments are missing, or there are too many.
    func invocation() throws(UsageError) -> Invocation {
        try checkCount()
        if options.isJSON, options.format != nil {
            throw UsageError(
                message: "'--json' and '--format' exclude each other",
                hint: "an object of '--json' holds both the lines and the patch")
        }
        let (second, third) = (arguments.dropFirst().first, arguments.dropFirst(2).first)
        return switch command.name {
        case "run": .run(options)
        case "check": .check(options)
        case "poll": .poll(names: arguments, options)
        case "history": .history(name: arguments[0], options)
        case "show": .show(name: arguments[0], snapshot: second, options)
        case "diff": .diff(name: arguments[0], from: second, to: third, options)
        case "reload": .reload
        default: .status(names: arguments, options)
        }
    }

    private func checkCount() throws(UsageError) {
        if arguments.count < command.argumentCount.lowerBound {
            throw UsageError(
                message: "'pollard \(command.name)' needs the name of an endpoint",
                hint: "'pollard status' lists them")
        }
        let most = command.argumentCount.upperBound
        guard let extra = arguments.dropFirst(most).first else { return }
        let allowed =
            switch most {
            case 0: "no argument"
            case 1: "one argument"
            default: "at most \(most) arguments"
            }
        throw UsageError(
            message: "'pollard \(command.name)' takes \(allowed), but got '\(extra)'"
                + (most > 0 ? " too" : ""),
            hint: helpHint)
    }

    private var helpHint: String { "see 'pollard \(command.name) --help'" }
}
