// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardTestSupport
import Testing

/// A small file system in memory, mounted for one test.
final class Mount: Sendable {
    /// Whether this process may mount: root may, unless a container forbids it.
    static let isPermitted: Bool = {
        guard let directory = try? TemporaryDirectory() else { return false }
        defer { directory.remove() }
        return (try? Mount(at: directory.path, options: "size=1m")) != nil
    }()

    private let path: String

    /// Mounts an empty file system at `path`.
    init(at path: String, options: String) throws {
        let result = unsafe mount("tmpfs", path, "tmpfs", 0, options)
        try #require(result == 0)
        self.path = path
    }

    deinit { unsafe umount2(path, Int32(MNT_DETACH)) }

    /// Makes everything in it read-only.
    func makeReadOnly() throws {
        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        let result = unsafe mount("tmpfs", path, "tmpfs", flags, "")
        try #require(result == 0)
    }

    /// Takes all space that is left for one file.
    func fill(with file: String) throws {
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4_096)
        while unsafe write(descriptor, page, page.count) > 0 {}
        try #require(errno == ENOSPC)
    }
}
