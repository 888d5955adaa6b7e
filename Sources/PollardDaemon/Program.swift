// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardSystemd

/// The program: from the words of the command line to an exit status.
package enum Program {
    /// Does what `arguments` ask for.
    ///
    /// - Parameters:
    ///   - arguments: The words after the program's name.
    ///   - environment: The environment of the process.
    /// - Returns: The exit status.
    package static func main(_ arguments: [String], environment: [String: String]) async -> Int32 {
        do throws(CommandFailure) {
            return try await run(parse(arguments), environment).rawValue
        } catch {
            if !error.isReported { LineOutput.standardError.write(error.text + "\n") }
            return error.status.rawValue
        }
    }

    private static func parse(_ arguments: [String]) throws(CommandFailure) -> Invocation {
        do throws(UsageError) {
            return try Invocation(arguments)
        } catch {
            throw CommandFailure(.usage, error.message, hint: error.hint)
        }
    }

    private static func run(
        _ invocation: Invocation, _ environment: [String: String]
    ) async throws(CommandFailure) -> ExitStatus {
        let output = CommandOutput()
        func paths(_ options: Invocation.Options) -> DaemonPaths {
            DaemonPaths(options, environment: environment)
        }
        switch invocation {
        case .help(let command): try output.write(line: HelpText.help(for: command))
        case .version: try output.write(line: "pollard \(version)")
        case .run(let options):
            SignalSequence.keepEarlyHangUp()
            try protectSecrets()
            try await RunCommand(options: options, environment: environment).run()
        case .reload: try await ReloadCommand(environment: environment).run()
        case .check(let options):
            try protectSecrets()
            try CheckCommand(
                path: paths(options).configuration, environment: environment,
                isJSON: options.isJSON
            ).run(output)
        case .poll(let names, let options):
            try protectSecrets()
            return try await PollCommand(
                names: names, paths: paths(options), environment: environment,
                isJSON: options.isJSON
            ).run(output)
        case .status(let names, let options):
            try StatusCommand(
                names: names, paths: paths(options), isJSON: options.isJSON,
                now: Timestamp.now()
            ).run(output)
        case .history(let name, let options):
            try HistoryCommand(
                name: name, limit: options.limit ?? HistoryCommand.defaultLimit,
                isJSON: options.isJSON, paths: paths(options), now: Timestamp.now()
            ).run(output)
        case .show(let name, let snapshot, let options):
            try ShowCommand(
                name: name, snapshot: snapshot, isJSON: options.isJSON, paths: paths(options)
            ).run(output)
        case .diff(let name, let from, let to, let options):
            try DiffCommand(
                name: name, from: from, to: to, format: options.format ?? .text,
                isJSON: options.isJSON, paths: paths(options)
            ).run(output)
        }
        return .success
    }

    /// For commands that read secrets, before they do.
    private static func protectSecrets() throws(CommandFailure) {
        do throws(SystemdError) {
            try ProcessMemory.protect()
        } catch {
            throw CommandFailure(
                .unavailable, "\(error)", hint: "let the sandbox permit prctl(2), as the unit does")
        }
    }
}
