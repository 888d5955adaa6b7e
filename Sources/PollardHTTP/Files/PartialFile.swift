// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Synchronization

/// A file that appears under its name only when it is complete; removed if it never is.
final class PartialFile: Sendable {
    private let path: String
    private let temporaryPath: String
    private let file: OpenFile
    private let isComplete = Atomic(false)

    /// Makes the file under a name of its own, beside `path`, and removes what programs that were
    /// killed have left of theirs.
    ///
    /// - Parameter path: Its name when it is complete; a relative one counts from the working
    ///   directory of now.
    /// - Throws: `NetworkError.Code.file`.
    init(for path: String) throws(NetworkError) {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw NetworkError(.file, "cannot write '\(path.escaped)': it names no file")
        }
        guard let absolute = path.absolutePath else { throw .file("write", path, errno) }
        let names = TemporaryName(for: absolute)
        names.removeAbandoned()
        var name = names.next()
        var file = try OpenFile(making: name, for: path)
        while !file.isLinked {
            name = names.next()
            file = try OpenFile(making: name, for: path)
        }
        self.path = absolute
        temporaryPath = name
        self.file = file
    }

    deinit {
        if !isComplete.load(ordering: .relaxed) { unsafe unlink(temporaryPath) }
    }

    /// Adds bytes.
    ///
    /// - Throws: `NetworkError.Code.file`.
    func write(_ bytes: [UInt8]) throws(NetworkError) { try file.write(bytes) }

    /// Gives the file its name, once its content is on the disk, and waits until that is, too.
    ///
    /// - Throws: `NetworkError.Code.file`.
    func complete() throws(NetworkError) {
        try file.synchronize()
        guard unsafe rename(temporaryPath, path) == 0 else { throw .file("write", path, errno) }
        isComplete.store(true, ordering: .relaxed)
        let end = path.lastIndex(of: "/") ?? path.startIndex
        // Who may write in a directory need not be allowed to read it; then the name is late.
        guard DirectoryCalls.synchronize("\(path[..<end])/") || errno == EACCES else {
            throw .file("write", path, errno)
        }
    }
}
