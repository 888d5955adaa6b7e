// SPDX-License-Identifier: Apache-2.0
import Glibc

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

    /// Runs a program to its end, with nothing to read.
    ///
    /// - Parameters:
    ///   - executable: The program's absolute path.
    ///   - arguments: All but its name.
    ///   - environment: Its whole environment; nil for that of the tests.
    ///   - directory: Where it runs; nil for where the tests do.
    /// - Throws: `SystemCallError` if it can't be started.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil,
        directory: String? = nil
    ) async throws {
        let files = try TemporaryDirectory()
        let output = try files.write("", to: "output")
        let errors = try files.write("", to: "errors")
        var command = [executable] + arguments
        if let environment {
            command = ["/usr/bin/env", "-i"] + environment.map { "\($0)=\($1)" } + command
        }
        if let directory { command = ["/usr/bin/env", "-C", directory, "--"] + command }
        let process = try spawn(command, output: output, errors: errors)
        let state = try await end(of: process)
        let signal = state & 0x7F  // as WTERMSIG has it
        status = signal == 0 ? state >> 8 & 0xFF : 128 + signal
        self.output = String(decoding: try files.read("output"), as: UTF8.self)
        self.errors = String(decoding: try files.read("errors"), as: UTF8.self)
    }
}

/// Starts a program with the default signals, none of them blocked.
private func spawn(_ command: [String], output: String, errors: String) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY, 0)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(
        &process, command[0], &actions, &attributes, &arguments, environ)
    guard code == 0 else { throw SystemCallError("posix_spawn", code: code) }
    return process
}

/// Waits for a child.
///
/// - Returns: Its state in the form of waitpid(2).
private func end(of process: pid_t) async throws -> CInt {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try startThread {
                var state: CInt = 0
                while unsafe waitpid(process, &state, 0) < 0 && errno == EINTR {}
                continuation.resume(returning: state)
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
