// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

extension StoreError {
    /// Says what an SQLite result code means for the store at `path`.
    ///
    /// - Parameters:
    ///   - result: An extended result code (https://sqlite.org/rescode.html).
    ///   - detail: SQLite's own text for it.
    ///   - systemError: The `errno` behind it; 0 if there is none.
    ///   - path: The database file.
    init(result: Int32, detail: String, systemError: Int32, path: String) {
        switch result & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(path)
        case SQLITE_READONLY: self = .readOnly(path)
        case SQLITE_CORRUPT: self = .corrupt(path, detail: detail)
        case SQLITE_NOTADB: self = .foreign(path, because: "it is not a database")
        case SQLITE_FULL: self = .full(path)
        case SQLITE_PERM, SQLITE_AUTH: self = .permission(path)
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            self.init(systemError: systemError, detail: detail, path: path)
        default: self.init(.other, "the store '\(path)' failed: \(detail)")
        }
    }

    /// Says what an `errno` means for the store at `path`.
    ///
    /// - Parameters:
    ///   - systemError: The `errno`; 0 if there is none.
    ///   - detail: What to say then.
    ///   - path: The database file.
    init(systemError: Int32, detail: String, path: String) {
        switch systemError {
        case ENOENT, ENOTDIR: self = .noStore(path)
        case EACCES, EPERM: self = .permission(path)
        case EROFS: self = .readOnly(path)
        case ENOSPC, EDQUOT: self = .full(path)
        default:
            self.init(
                .io,
                "the store '\(path)' could not be read or written: "
                    + (systemError == 0 ? detail : describe(systemError: systemError)),
                hint: "look for errors of the disk with 'journalctl --dmesg'")
        }
    }
}

extension StoreError {
    static func locked(_ path: String) -> StoreError {
        StoreError(
            .locked, "the store '\(path)' is locked by another process",
            hint: "wait until that process is done, or end it; 'fuser \(path)' names it")
    }

    static func moved(_ path: String) -> StoreError {
        StoreError(
            .io, "the store '\(path)' was moved or deleted while in use",
            hint: "put it back, or start pollard again to begin with an empty one")
    }

    static func readOnly(_ path: String) -> StoreError {
        StoreError(
            .readOnly, "the store '\(path)' is read-only",
            hint: "make the file and its directory writable for the user that runs pollard")
    }

    static func permission(_ path: String) -> StoreError {
        StoreError(
            .permission, "the store '\(path)' may not be opened: permission denied",
            hint: "run this as root, or let a group read the store: see ACCESS in pollard(1)")
    }

    static func corrupt(_ path: String, detail: String) -> StoreError {
        StoreError(
            .corrupt, "the store '\(path)' is damaged: \(detail)",
            hint: "move it away together with its -wal and -shm files, "
                + "then restore a backup or start anew")
    }

    static func foreign(_ path: String, because reason: String) -> StoreError {
        StoreError(
            .notADatabase, "'\(path)' is not a store of pollard: \(reason)",
            hint: "move the file away, or choose another directory")
    }

    static func unrecovered(_ path: String) -> StoreError {
        StoreError(
            .readOnly,
            "the store '\(path)' must be recovered first, and its directory can't be written",
            hint: "start the daemon, or run this as the user that the store belongs to")
    }

    static func full(_ path: String) -> StoreError {
        StoreError(
            .full, "the store '\(path)' could not be written: the disk is full",
            hint: "free some space on the file system that holds it")
    }

    static func noStore(_ path: String) -> StoreError {
        StoreError(
            .missing, "no store at '\(path)'",
            hint: "the daemon creates it at its first start; "
                + "check the path and that the daemon has run")
    }
}

/// The text of an `errno` in lower case, as in `input/output error`.
func describe(systemError: Int32) -> String {
    guard let text = unsafe strerror(systemError) else { return "error \(systemError)" }
    let words = unsafe String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
}
