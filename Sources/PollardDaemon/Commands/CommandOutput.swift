// SPDX-License-Identifier: Apache-2.0

internal import PollardSystemd

/// Where a command writes what it was asked for, and what else there is to say.
struct CommandOutput {
    private let output = LineOutput.standardOutput
    private let remarks = LineOutput.standardError

    /// Whether colours are wanted on standard output.
    var isColoured: Bool { output.isColoured }

    /// Whether people look at it.
    var isTerminal: Bool { output.isTerminal }

    /// Writes to standard output; nothing is added.
    ///
    /// - Throws: `CommandFailure` if not all was taken: half an answer must not look like one.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        do throws(SystemdError) {
            try output.writeAll(bytes)
        } catch {
            throw CommandFailure(.inputOutput, "\(error)")
        }
    }

    /// Writes text and a newline to standard output.
    ///
    /// - Throws: `CommandFailure` if not all was taken.
    func write(line: String) throws(CommandFailure) { try write(Array("\(line)\n".utf8)) }

    /// Tells people what no program should take for a part of the output.
    func remark(_ text: String) { remarks.write("\(text)\n") }
}
