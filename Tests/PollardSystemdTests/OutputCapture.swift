// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardTestSupport

@testable import PollardSystemd

/// A file that reporters write lines to.
final class OutputCapture: Sendable {
    let output: LineOutput
    private let directory: TemporaryDirectory
    private let descriptor: CInt

    init() throws {
        directory = try TemporaryDirectory()
        let path = try directory.write("", to: "output")
        descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallError("open") }
        output = LineOutput(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    /// All that has been written.
    func text() throws -> String {
        String(decoding: try directory.read("output"), as: UTF8.self)
    }
}
