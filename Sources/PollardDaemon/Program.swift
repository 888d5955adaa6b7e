// SPDX-License-Identifier: Apache-2.0

internal import Glibc
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

    /// Writes a command's answer and its newline to standard output.
    private static func show(_ text: String) throws(CommandFailure) {
        do throws(SystemdError) {
            try LineOutput.standardOutput.writeAll(text + "\n")
        } catch {
            throw CommandFailure(.inputOutput, "\(error)")
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
        switch invocation {
        case .help(let command): try show(HelpText.help(for: command))
        case .version: try show("pollard \(version)")
        case .run(let options):
            try await RunCommand(options: options, environment: environment).run()
        case .reload: try await ReloadCommand(environment: environment).run()
        case .check(let options):
            let paths = DaemonPaths(options, environment: environment)
            let (summary, warnings) = try CheckCommand(
                path: paths.configuration, environment: environment
            ).run()
            for warning in warnings { LineOutput.standardError.write(warning + "\n") }
            try show(summary)
        case .poll(let names, let options):
            let paths = DaemonPaths(options, environment: environment)
            return try await PollCommand(names: names, paths: paths, environment: environment)
                .run(show: show)
        case .status(let names, let options):
            let paths = DaemonPaths(options, environment: environment)
            let command = StatusCommand(
                names: names, paths: paths, isJSON: options.isJSON,
                isColoured: LineOutput.standardOutput.isColoured, now: SystemClock.now())
            try show(try command.run())
        }
        return .success
    }
}
