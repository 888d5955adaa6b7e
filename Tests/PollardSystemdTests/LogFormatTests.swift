// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardTestSupport
import Testing

@testable import PollardSystemd

@Suite struct LogFormatTests {
    @Test func `The journal is chosen only if the descriptor is its stream`() throws {
        let directory = try TemporaryDirectory()
        let descriptor = unsafe open(try directory.write("", to: "stream"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var status = stat()
        try #require(unsafe fstat(descriptor, &status) == 0)
        let (device, inode) = (status.st_dev, status.st_ino)
        func format(_ stream: String?, _ descriptor: CInt = descriptor) -> LogFormat {
            .automatic(journalStream: stream, descriptor: descriptor)
        }
        #expect(format("\(device):\(inode)") == .journal)
        #expect(format("\(device):\(inode + 1)") == .text)
        #expect(format("\(device + 1):\(inode)") == .text)
        #expect(format("\(inode)") == .text)
        #expect(format("") == .text)
        #expect(format(nil) == .text)
        #expect(format("\(device):\(inode)", -1) == .text)
    }
}
