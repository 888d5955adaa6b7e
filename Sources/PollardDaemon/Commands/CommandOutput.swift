// SPDX-License-Identifier: Apache-2.0

internal import PollardSystemd

/// Where a command writes what it was asked for, and what else there is to say.
struct CommandOutput {
    private let output = LineOutput.standardOutput
    private let remarks = LineOutput.standardError
    /// Whether colours are wanted on standard output.
    let isColoured: Bool

    /// - Parameter environment: A `$NO_COLOR` that is not empty asks for no colours.
    init(environment: [String: String]) {
        isColoured = output.isTerminal && environment["NO_COLOR", default: ""].isEmpty
    }

    /// Whether people look at it.
    var isTerminal: Bool { output.isTerminal }

    /// Writes to standard output; nothing is added.
    ///
    /// - Throws: `CommandFailure` if not all was taken: half an answer must not look like one.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        do throws(OutputError) {
            try output.write(bytes: bytes)
        } catch {
            throw CommandFailure(.inputOutput, "cannot write to standard output: \(error)")
        }
    }

    /// Writes text and a newline to standard output.
    ///
    /// - Throws: `CommandFailure` if not all was taken.
    func write(line: String) throws(CommandFailure) { try write(Array("\(line)\n".utf8)) }

    /// Tells people what no program should take for a part of the output.
    func remark(_ text: String) { remarks.write("\(text)\n") }
}
