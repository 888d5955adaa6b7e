// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An open file, closed with the object.
final class OpenFile: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Whether another had the lock of a file that was made before it could be taken.
    private let isTaken: Bool

    /// Opens an ordinary file for reading.
    ///
    /// - Throws: `NetworkError.Code.file`.
    init(reading path: String) throws(NetworkError) {
        self.path = path
        isTaken = false
        // Without waiting for the other end, if it is a pipe; it is refused then.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file("read", path, errno) }
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    /// Makes a file, which only this user may read and write, and keeps a lock on it.
    ///
    /// - Parameters:
    ///   - name: Its path; there must be no file of that name.
    ///   - path: What it is for, for errors.
    /// - Throws: `NetworkError.Code.file`.
    init(making name: String, for path: String) throws(NetworkError) {
        self.path = path
        descriptor = unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file("write", path, errno) }
        // Any other failure is a file system without locks, which only keeps what a killed program
        // leaves.
        isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Whether a file that was made is still there, and stays: before it had its lock, someone may
    /// have taken it for one whose writer is gone, and have removed it or be about to.
    var isLinked: Bool {
        var status = stat()
        return unsafe !isTaken && fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    deinit { close(descriptor) }

    /// The size of the file, in bytes.
    ///
    /// - Throws: `NetworkError.Code.file` if it is no ordinary file.
    func size() throws(NetworkError) -> Int64 {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .file("read", path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw NetworkError(
                .file, "cannot read '\(path.escaped)': it is no ordinary file")
        }
        return Int64(status.st_size)
    }

    /// Reads at least one byte.
    ///
    /// - Throws: `NetworkError.Code.file`, also if the file ends before `offset`.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(NetworkError) -> Int {
        while true {
            let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            guard count == 0 else {
                if errno == EINTR { continue }
                throw .file("read", path, errno)
            }
            throw NetworkError(
                .file, "the file '\(path.escaped)' became shorter while it was sent")
        }
    }

    /// Writes all of `bytes` at the end of what was written.
    ///
    /// - Throws: `NetworkError.Code.file`.
    func write(_ bytes: [UInt8]) throws(NetworkError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file("write", path, errno) }
            written += count
        }
    }

    /// Waits until all of it is on the disk.
    ///
    /// - Throws: `NetworkError.Code.file`.
    func synchronize() throws(NetworkError) {
        guard fsync(descriptor) == 0 else { throw .file("write", path, errno) }
    }
}

extension NetworkError {
    /// A file can't be read or written.
    static func file(_ action: String, _ path: String, _ error: Int32) -> NetworkError {
        NetworkError(
            .file, "cannot \(action) '\(path.escaped)': \(text(ofSystemError: error))")
    }
}
