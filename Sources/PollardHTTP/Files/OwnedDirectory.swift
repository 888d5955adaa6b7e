// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A directory that one object of one process writes: made if it is not there, and locked.
///
/// The lock is taken with flock(2) on a file in it, so that it ends with the process however that
/// ends. Everything in it is readable by its owner only: contents may be confidential.
final class OwnedDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    let path: String
    private let lock: Int32

    private static let lockName = "lock"
    /// The name of a file that is not complete yet ends with it.
    private static let draftSuffix = ".draft"

    /// Makes the directory if its parent is there, and takes its lock.
    ///
    /// - Parameters:
    ///   - path: The directory; a relative path counts from the working directory of now.
    ///   - purpose: What it is, for errors: `response cache`.
    /// - Throws: `NetworkError.Code.storage` if another process or object has it, or it can't be
    ///   made or written.
    init(_ path: String, purpose: String) throws(NetworkError) {
        let given = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let path = given.absolutePath else {
            throw NetworkError(storage: "find the \(purpose) '\(given.escaped)'", errno)
        }
        try Self.make(path, purpose)
        try Self.checkOwner(of: path, purpose)
        // Before the lock is stored: deinit runs when an initializer throws after all is set.
        let lock = unsafe open(
            "\(path)/\(Self.lockName)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw NetworkError(storage: "open the \(purpose) '\(path.escaped)'", errno)
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            close(lock)
            guard error == EWOULDBLOCK else {
                throw NetworkError(storage: "lock the \(purpose) '\(path.escaped)'", error)
            }
            throw NetworkError(
                .storage,
                "the \(purpose) '\(path.escaped)' is in use by another process or object; "
                    + "give each a directory of its own")
        }
        self.path = path
        self.lock = lock
    }

    deinit {
        // A child that another thread has just made has a copy of the descriptor until it runs its
        // program: closing this one alone would leave the lock to that copy.
        flock(lock, LOCK_UN)
        close(lock)
    }

    private static func make(_ path: String, _ purpose: String) throws(NetworkError) {
        guard unsafe mkdir(path, 0o700) != 0 else {
            // What is durable in it is of no use if the directory itself is not.
            // Its parent may be one that only takes new names.
            guard DirectoryCalls.synchronize("\(path)/..") || errno == EACCES else {
                throw NetworkError(storage: "make the \(purpose) '\(path.escaped)'", errno)
            }
            return
        }
        guard errno == EEXIST else {
            throw NetworkError(storage: "make the \(purpose) '\(path.escaped)'", errno)
        }
    }

    /// Refuses a directory in which others could put files for us to believe.
    private static func checkOwner(of path: String, _ purpose: String) throws(NetworkError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw NetworkError(storage: "open the \(purpose) '\(path.escaped)'", errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw NetworkError(storage: "open the \(purpose) '\(path.escaped)'", ENOTDIR)
        }
        guard status.st_mode & 0o022 == 0, status.st_uid == geteuid() || status.st_uid == 0 else {
            throw NetworkError(
                .storage,
                "the \(purpose) '\(path.escaped)' can be written by other users; "
                    + "give it an owner and mode 0700")
        }
    }

    /// A file in the directory, as a scan found it.
    struct Entry: Sendable, Hashable {
        /// Its name.
        var name: String
        /// Its size in bytes.
        var bytes: Int
        /// When it was written or touched, in nanoseconds since 1970.
        var modified: Int64
    }

    /// Every regular file but the lock; drafts that a crash has left are removed.
    ///
    /// - Throws: `NetworkError.Code.storage`.
    func entries() throws(NetworkError) -> [Entry] {
        guard let names = DirectoryCalls.names(in: path) else {
            throw NetworkError(storage: "read the directory '\(path.escaped)'", errno)
        }
        var entries: [Entry] = []
        for name in names where name != Self.lockName {
            guard !name.hasSuffix(Self.draftSuffix) else {
                try remove(name)
                continue
            }
            var status = stat()
            guard unsafe lstat("\(path)/\(name)", &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            let modified = status.st_mtim
            entries.append(
                Entry(
                    name: name, bytes: Int(status.st_size),
                    modified: Int64(modified.tv_sec) * 1_000_000_000 + Int64(modified.tv_nsec)))
        }
        return entries
    }

    /// The content of a file; nil if there is none.
    ///
    /// - Throws: `NetworkError.Code.storage`.
    func read(_ name: String) throws(NetworkError) -> [UInt8]? {
        let file = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            guard errno == ENOENT else { throw failure("read", name) }
            return nil
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw failure("read", name) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe Glibc.read(
                    file, $0.baseAddress.map { unsafe $0 + filled }, $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", name) }
            guard count > 0 else { break }
            filled += count
        }
        return Array(bytes.prefix(filled))
    }

    /// Writes a file as a whole: whoever looks finds what was there before, or all of it.
    ///
    /// - Parameters:
    ///   - name: The file.
    ///   - bytes: Its content.
    ///   - isDurable: Whether it is to be there after the machine loses power, too.
    /// - Throws: `NetworkError.Code.storage`; the file is as it was.
    func write(_ name: String, _ bytes: [UInt8], isDurable: Bool) throws(NetworkError) {
        let draft = "\(name)\(Self.draftSuffix)"
        do throws(NetworkError) {
            try writeDraft(draft, bytes, isDurable: isDurable)
            guard unsafe Glibc.rename("\(path)/\(draft)", "\(path)/\(name)") == 0 else {
                throw failure("write", name)
            }
        } catch {
            _ = unsafe unlink("\(path)/\(draft)")
            throw error
        }
        if isDurable { try synchronize() }
    }

    private func writeDraft(
        _ name: String, _ bytes: [UInt8], isDurable: Bool
    ) throws(NetworkError) {
        let file = unsafe open(
            "\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("write", name) }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(
                    file, $0.baseAddress.map { unsafe $0 + written }, $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write", name) }
            written += count
        }
        if isDurable, fsync(file) != 0 { throw failure("write", name) }
    }

    /// Gives a file another name, in place of one that has it.
    ///
    /// - Throws: `NetworkError.Code.storage`.
    func rename(_ name: String, to other: String) throws(NetworkError) {
        guard unsafe Glibc.rename("\(path)/\(name)", "\(path)/\(other)") == 0 else {
            throw failure("rename", name)
        }
        try synchronize()
    }

    /// Removes a file; nothing if there is none.
    ///
    /// After a loss of power it may be there again, unless `synchronize()` follows.
    ///
    /// - Throws: `NetworkError.Code.storage`.
    func remove(_ name: String) throws(NetworkError) {
        guard unsafe unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
            throw failure("remove", name)
        }
    }

    /// Notes that a file was used now, for whoever looks after a restart.
    func touch(_ name: String) {
        // Without it, the file is only taken for less recent than it is.
        _ = unsafe utimensat(AT_FDCWD, "\(path)/\(name)", nil, AT_SYMLINK_NOFOLLOW)
    }

    /// Waits until the names in the directory are on the disk.
    ///
    /// - Throws: `NetworkError.Code.storage`.
    func synchronize() throws(NetworkError) {
        guard DirectoryCalls.synchronize(path) else { throw failure("write", ".") }
    }

    private func failure(_ action: String, _ name: String) -> NetworkError {
        NetworkError(storage: "\(action) '\(path.escaped)/\(name.escaped)'", errno)
    }
}

extension NetworkError.Code {
    /// A directory or file of a cache or a queue can't be used.
    public static let storage = NetworkError.Code(rawValue: "storage")
}

extension NetworkError {
    /// A call of the file system failed.
    init(storage action: String, _ error: Int32) {
        let hint =
            switch error {
            case ENOENT: "; create the directory above it"
            case EACCES, EPERM, EROFS: "; check its owner and permissions"
            case ENOSPC, EDQUOT: "; free space on the disk"
            default: ""
            }
        self.init(.storage, "cannot \(action): \(Self.text(ofSystemError: error))\(hint)")
    }
}
