// SPDX-License-Identifier: Apache-2.0
package import Glibc
import Synchronization

/// A program that a test runs; killed when the object goes.
///
/// Its children are killed with it, and also when it ends by itself.
///
/// ```swift
/// let daemon = try Subprocess(pollard, ["run", "--config", file], environment: ["TZ=UTC"])
/// try await daemon.wait(for: "a change") { $0.outputText.contains("changed") }
/// daemon.signal(SIGTERM)
/// #expect(try await daemon.waitForExit().status == .exited(0))
/// ```
package final class Subprocess: Sendable {
    /// How a program ended.
    package enum Status: Sendable, Hashable {
        /// With an exit code.
        case exited(CInt)
        /// By a signal.
        case signalled(CInt)
    }

    /// What a program wrote up to now, and how it ended.
    package struct Result: Sendable {
        /// Standard output.
        package var output: [UInt8] = []
        /// Standard error.
        package var errors: [UInt8] = []
        /// How it ended; nil while it runs.
        package var status: Status?

        /// Standard output as text.
        package var outputText: String { String(decoding: output, as: UTF8.self) }
        /// Standard error as text.
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    /// The process, which also leads a process group of its own.
    package let processID: pid_t
    private let watch: ProcessWatch
    private let name: String

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The absolute path.
    ///   - arguments: Without the program's name.
    ///   - environment: All of it, as `NAME=value`; that of the tests by default.
    ///   - directory: The working directory; that of the tests by default.
    ///   - input: Standard input, whole; at most 64 KiB, what a pipe holds.
    /// - Throws: `SystemCallError` if it can't be started.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String]? = nil,
        directory: String? = nil, input: [UInt8] = []
    ) throws {
        precondition(input.count <= Pipe.capacity, "the input does not fit into a pipe")
        name = program
        var command = [program] + arguments
        // posix_spawn_file_actions_addchdir_np is not in `Glibc`; env(1) keeps the process.
        if let directory { command = ["/usr/bin/env", "--chdir=\(directory)"] + command }
        let (inputs, outputs, errors) = (try Pipe(), try Pipe(), try Pipe())
        _ = unsafe write(inputs.writingEnd, input, input.count)
        defer {
            inputs.close()
            close(outputs.writingEnd)
            close(errors.writingEnd)
        }
        do {
            processID = try spawn(
                command, environment: environment,
                descriptors: [inputs.readingEnd, outputs.writingEnd, errors.writingEnd])
            watch = ProcessWatch(
                processID, output: outputs.readingEnd, errors: errors.readingEnd)
        } catch {
            close(outputs.readingEnd)
            close(errors.readingEnd)
            throw error
        }
        try watch.start()
    }

    deinit { kill() }

    /// Runs a program to its end.
    ///
    /// - Returns: What it wrote, and how it ended; any status.
    /// - Throws: `SystemCallError`, `TimedOut`, or `CancellationError`.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String]? = nil,
        directory: String? = nil, input: [UInt8] = [], timeout: Duration = testPatience
    ) async throws -> Result {
        let process = try Subprocess(
            program, arguments, environment: environment, directory: directory, input: input)
        defer { process.kill() }
        return try await process.waitForExit(timeout: timeout)
    }

    /// What it wrote up to now.
    package var result: Result { watch.result.value }

    /// Sends a signal to the program, unless it has ended.
    package func signal(_ number: CInt) { watch.signal(number, to: processID) }

    /// Kills the program and its children; does nothing if it has ended.
    package func kill() { watch.signal(SIGKILL, to: -processID) }

    /// Waits until what it wrote, or how it ended, meets a condition.
    ///
    /// - Throws: `TimedOut` with what it wrote, or `CancellationError`.
    @discardableResult
    package func wait(
        for what: String, timeout: Duration = testPatience,
        until isMet: @escaping @Sendable (Result) -> Bool
    ) async throws -> Result {
        do {
            return try await watch.result.wait(for: what, timeout: timeout, until: isMet)
        } catch let error as TimedOut {
            let written = "\(result.outputText)\(result.errorText)"
            throw TimedOut(what: "\(what) of \(name), which wrote: \(written)", limit: error.limit)
        }
    }

    /// Waits until the program has ended and all of its output is read.
    ///
    /// - Throws: `TimedOut` with what it wrote, or `CancellationError`.
    @discardableResult
    package func waitForExit(timeout: Duration = testPatience) async throws -> Result {
        try await wait(for: "the end", timeout: timeout) { $0.status != nil }
    }
}
