// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads files and lists directories, bounded.
enum FileReading {
    /// All bytes of the regular file at `path`, which may have at most `limit`.
    ///
    /// - Throws: `FileError` if it is missing, not a regular file, unreadable or too large.
    static func bytes(ofFileAt path: String, limit: Int) throws(FileError) -> [UInt8] {
        // Without O_NONBLOCK, opening a FIFO waits until somebody writes to it.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileError("this is a directory", hint: "name the file in it")
        default: throw FileError("this is not a regular file")
        }
        let tooLarge = FileError(
            "the file has more than \(limit) bytes", hint: "split it into files in 'conf.d'")
        guard status.st_size <= limit else { throw tooLarge }
        return try read(descriptor, limit: limit, else: tooLarge)
    }

    /// The file may grow while it is read: the limit holds all the same.
    private static func read(
        _ descriptor: CInt, limit: Int, else tooLarge: FileError
    ) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure(errno)
            }
            bytes += buffer.prefix(count)
            guard bytes.count <= limit else { throw tooLarge }
        }
    }

    /// The names in the directory at `path`, in the order of their bytes; none if it is missing.
    ///
    /// - Throws: `FileError` if there is something, but not a readable directory.
    static func names(inDirectoryAt path: String) throws(FileError) -> [String] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw failure(errno)
        }
        guard let stream = unsafe fdopendir(descriptor) else {
            defer { close(descriptor) }
            throw failure(errno)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            names.append(unsafe name(of: entry))
        }
        guard errno == 0 else { throw failure(errno) }
        return names.filter { $0 != "." && $0 != ".." }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Reads no further than the name goes: an entry may be shorter than its C type (readdir(3)).
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let characters = unsafe UnsafeRawPointer(entry).advanced(by: offset)
        return unsafe String(cString: characters.assumingMemoryBound(to: CChar.self))
    }

    private static func failure(_ code: CInt) -> FileError {
        let reason = unsafe String(cString: strerror(code))
        let clause = reason.prefix(1).lowercased() + reason.dropFirst()
        switch code {
        case ENOENT: return FileError("there is no such file", isMissing: true)
        case EACCES:
            return FileError("can't be read: \(clause)", hint: "check the owner and the mode")
        default: return FileError("can't be read: \(clause)")
        }
    }
}
