// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads files that must be small and regular.
enum SmallFile {
    /// Why a file can't be read.
    enum ReadError: Error, Equatable {
        /// A system call failed with this error number.
        case system(CInt)
        case notRegular
        case tooLarge
    }

    /// The bytes of the file at `path`, which may be a symbolic link.
    ///
    /// A FIFO or a device at that place doesn't block.
    ///
    /// - Throws: `ReadError` if it can't be read, is no regular file, or has more than `limit`
    ///   bytes.
    static func contents(ofFile path: String, limit: Int) throws(ReadError) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw .system(errno) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }

        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(file, buffer.baseAddress?.advanced(by: length), buffer.count - length)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(errno)
            }
            if count == 0 { break }
            length += count
        }
        guard length <= limit else { throw .tooLarge }
        return Array(bytes[..<length])
    }
}
