// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Synchronization

/// A file that appears under its name only when it is complete; removed if it never is.
final class PartialFile: Sendable {
    private let path: String
    private let temporaryPath: String
    private let file: OpenFile
    private let isComplete = Atomic(false)

    /// Makes the file under a name of its own, beside `path`.
    ///
    /// - Throws: `NetworkError.Code.file`.
    init(for path: String) throws(NetworkError) {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw NetworkError(.file, "cannot write '\(path.escaped)': it names no file")
        }
        self.path = path
        var name = ""
        file = try OpenFile(makingBeside: path, name: &name)
        temporaryPath = name
    }

    deinit {
        if !isComplete.load(ordering: .relaxed) { unsafe unlink(temporaryPath) }
    }

    /// Adds bytes.
    ///
    /// - Throws: `NetworkError.Code.file`.
    func write(_ bytes: [UInt8]) throws(NetworkError) { try file.write(bytes) }

    /// Gives the file its name, once its content is on the disk.
    ///
    /// - Throws: `NetworkError.Code.file`.
    func complete() throws(NetworkError) {
        try file.synchronize()
        guard unsafe rename(temporaryPath, path) == 0 else { throw .file("write", path, errno) }
        isComplete.store(true, ordering: .relaxed)
    }
}
