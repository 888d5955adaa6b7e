// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The lock that one daemon holds on a store; readers do without.
///
/// It is a file beside the store, taken with flock(2), so that it ends with the process however
/// that ends. A lock on the database itself would mix with SQLite's own.
final class FileLock {
    /// A reader looks at the lock for some microseconds, which must not refuse a daemon: it is
    /// tried for a tenth of a second.
    private static let attempts = 10
    /// The time between two attempts, in microseconds.
    private static let pause: UInt32 = 10_000

    private let descriptor: Int32

    /// The file that is locked for the store at `path`: `pollard.lock` for `pollard.db`.
    static func path(forStore path: String) -> String {
        (path.hasSuffix(".db") ? String(path.dropLast(3)) : path) + ".lock"
    }

    /// Takes the lock of the store at `path` and writes the process's number into its file.
    ///
    /// - Throws: `StoreError` if another process has it, or the file can't be made.
    init(store path: String) throws(StoreError) {
        let file = Self.path(forStore: path)
        descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let error = errno
            guard error != ENOENT, error != ENOTDIR else { throw Self.missingDirectory(of: path) }
            throw StoreError(
                systemError: error, detail: describe(systemError: error), path: path)
        }
        var attempts = Self.attempts
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let error = errno
            attempts -= 1
            if attempts > 0, error == EWOULDBLOCK || error == EINTR {
                usleep(Self.pause)
                continue
            }
            // Closed by deinit, which runs although the initializer throws: twice, and the second
            // time might close what another thread has opened under the same number.
            let owner = Self.owner(descriptor)
            guard error == EWOULDBLOCK else {
                throw StoreError(
                    systemError: error, detail: describe(systemError: error), path: path)
            }
            throw Self.inUse(path, by: owner)
        }
        // The number is there for people; a full disk must not prevent reading the store.
        if ftruncate(descriptor, 0) == 0 {
            let text = Array("\(getpid())\n".utf8)
            _ = unsafe text.withUnsafeBytes { bytes in
                unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
            }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether a daemon holds the lock of the store at `path`; nil if that can't be told.
    static func isHeld(forStore path: String) -> Bool? {
        let descriptor = unsafe open(Self.path(forStore: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? false : nil }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return false }
        return errno == EWOULDBLOCK ? true : nil
    }

    private static func owner(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        let digits = bytes.prefix(max(count, 0)).prefix { $0 >= 0x30 && $0 <= 0x39 }
        return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
    }

    private static func inUse(_ path: String, by owner: String?) -> StoreError {
        let process = owner.map { " (process \($0))" } ?? ""
        return StoreError(
            .locked, "the store '\(path)' is in use by another pollard\(process)",
            hint: "stop that one first, or choose another directory for this one")
    }

    private static func missingDirectory(of path: String) -> StoreError {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return StoreError(
            .missing, "the directory '\(directory)' of the store does not exist",
            hint: "create it, or choose another one")
    }
}
