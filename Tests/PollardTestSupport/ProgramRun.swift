// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A program that has run: what it wrote, and how it ended.
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

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - executable: The program's path.
    ///   - arguments: All but its name.
    ///   - environment: Its whole environment; nil for that of the tests.
    ///   - directory: Where it runs; nil for where the tests do.
    /// - Throws: What keeps it from starting.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil,
        directory: String? = nil
    ) async throws {
        let files = try TemporaryDirectory()
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(
            forWritingTo: URL(filePath: files.write("", to: "output")))
        process.standardError = try FileHandle(
            forWritingTo: URL(filePath: files.write("", to: "errors")))
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        let signal: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
        status = signal + process.terminationStatus
        output = String(decoding: try files.read("output"), as: UTF8.self)
        errors = String(decoding: try files.read("errors"), as: UTF8.self)
    }
}
