// SPDX-License-Identifier: Apache-2.0

/// A program that has run: what it wrote, and how it ended.
///
/// Not made with Foundation's `Process`, which waits for every program that the program has left
/// running, and hands the blocked signals of its own thread on to them, so that none can be ended.
package struct ProgramRun: Sendable, Equatable {
    /// The exit status, or 128 and the signal that ended it, as a shell has it.
    package let status: Int32
    /// All of its standard output.
    package let output: String
    /// All of its standard error.
    package let errors: String

    /// A run to compare with.
    package init(status: Int32, output: String, errors: String) {
        self.status = status
        self.output = output
        self.errors = errors
    }

    /// How long a program may run before the test fails: a machine's own limit comes first.
    private static let timeLimit = Duration.seconds(300)

    /// Runs a program to its end, with nothing to read; what it leaves running is killed.
    ///
    /// - Parameters:
    ///   - executable: The program's absolute path.
    ///   - arguments: All but its name.
    ///   - environment: Its whole environment; nil for that of the tests.
    ///   - directory: Where it runs; nil for where the tests do.
    /// - Throws: `SystemCallError` if it can't be started, `TimedOut` if it does not end.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil,
        directory: String? = nil
    ) async throws {
        let result = try await Subprocess.run(
            executable, arguments, environment: environment?.map { "\($0)=\($1)" },
            directory: directory, timeout: Self.timeLimit)
        status =
            switch result.status {
            case .exited(let code): code
            case .signalled(let number): 128 + number
            case nil: -1
            }
        output = result.outputText
        errors = result.errorText
    }
}
