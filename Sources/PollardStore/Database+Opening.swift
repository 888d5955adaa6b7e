// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Database {
    /// The time to wait for another process's lock: backups and shells hold one for a moment.
    static let defaultBusyTimeout = Duration.seconds(5)

    /// The largest file whose structure is checked at each start.
    ///
    /// `quick_check` reads everything: 0.06 s for 100 MB in the page cache, seconds for
    /// gigabytes on a slow disk. Beyond this, damage is found when it is met.
    static let maximumCheckedBytes: Int64 = 256 << 20

    /// Opens the store at `path` for a daemon: alone, checked and brought up to date.
    ///
    /// A file that is not a sound store of a known version is left as it is.
    static func openForWriting(
        path: String, busyTimeout: Duration
    ) throws(StoreError) -> Database {
        let lock = try FileLock(store: path)
        create(path)
        let database = try Database(
            path: path, mode: .readWrite, busyTimeout: busyTimeout, holding: lock)
        try database.protect()
        let version = try database.checkedVersion()
        guard !database.isReadOnly else { throw StoreError.readOnly(path) }
        try database.checkStructure()
        try database.configure(isNew: version == 0)
        try database.migrate(from: version)
        return database
    }

    /// Creates the file unless it is there, without access for others: bodies are as confidential
    /// as the answers of the APIs that they come from.
    ///
    /// SQLite gives the files beside it the same mode. What goes wrong, it meets and tells too.
    private static func create(_ path: String) {
        // Never opens what is there: closing that would end SQLite's own locks in this process.
        // https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Opens the store at `path` for a command, whether a daemon runs or not.
    ///
    /// - Throws: `StoreError`; among others `missing` if there is no file, and `olderVersion` if
    ///   a daemon has to bring it up to date first.
    static func openForReading(
        path: String, busyTimeout: Duration
    ) throws(StoreError) -> Database {
        do {
            return try openForReading(path: path, mode: .readOnly, busyTimeout: busyTimeout)
        } catch
            where error.code == .io || error.code == .readOnly || error.code == .missing
            || error.code == .permission
        {
            // Without a daemon there are no -wal and -shm files, and a directory that can't be
            // written has no place for them: then nobody writes, and no locks are needed.
            // https://sqlite.org/wal.html#read_only_databases
            guard unsafe access(path, R_OK) == 0, FileLock.isHeld(forStore: path) == false else {
                throw error
            }
            guard !hasLog(path) else { throw StoreError.unrecovered(path) }
            do {
                return try openForReading(path: path, mode: .immutable, busyTimeout: busyTimeout)
            } catch _ {
                throw error
            }
        }
    }

    /// Whether a write-ahead log with content is there: a reader that ignored it would see the past.
    private static func hasLog(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat("\(path)-wal", &status) == 0 && status.st_size > 0
    }

    private static func openForReading(
        path: String, mode: Mode, busyTimeout: Duration
    ) throws(StoreError) -> Database {
        let database = try Database(path: path, mode: mode, busyTimeout: busyTimeout)
        try database.protect()
        let version = try database.checkedVersion()
        guard version == Migrations.currentVersion else {
            throw StoreError(
                .olderVersion,
                "the store '\(path)' was written by an older pollard "
                    + "(version \(version); this one knows \(Migrations.currentVersion))",
                hint: "start the daemon once: it brings the store up to date")
        }
        return database
    }

    /// Settings of the connection that leave the file as it is.
    private func protect() throws(StoreError) {
        // A damaged or forged file must not run functions through its schema.
        try execute(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA foreign_keys = ON;
            PRAGMA temp_store = MEMORY;
            """)
    }

    /// The store's version; 0 for an empty file.
    ///
    /// - Throws: `StoreError` if the file is another program's, or a newer pollard's.
    private func checkedVersion() throws(StoreError) -> Int {
        let application = try pragma("application_id")
        let version = Int(try pragma("user_version"))
        guard application == Migrations.applicationID else {
            let tables = try pragma("schema_version")
            guard application == 0, version == 0, tables == 0 else {
                throw StoreError.foreign(path, because: "it is a database of another program")
            }
            return 0
        }
        guard version <= Migrations.currentVersion else {
            throw StoreError(
                .newerVersion,
                "the store '\(path)' was written by a newer pollard "
                    + "(version \(version); this one knows \(Migrations.currentVersion))",
                hint: "install that version of pollard again, or choose another directory")
        }
        return version
    }

    private func checkStructure() throws(StoreError) {
        let bytes = try pragma("page_count") * pragma("page_size")
        guard bytes > 0, bytes <= Self.maximumCheckedBytes else { return }
        let findings =
            try first("PRAGMA quick_check(1)") { row throws(StoreError) in row.text(0) }
        guard findings == "ok" else {
            // The first finding follows a headline with the name that the file has in SQL.
            let finding = findings?.split(separator: "\n").last { !$0.hasPrefix("***") }
            throw StoreError.corrupt(path, detail: finding.map { String($0) } ?? "unreadable")
        }
    }

    private func configure(isNew: Bool) throws(StoreError) {
        // Only possible before the first table; lets pruning give space back to the disk.
        if isNew { try execute("PRAGMA auto_vacuum = INCREMENTAL") }
        let mode = try first("PRAGMA journal_mode = WAL") { row throws(StoreError) in row.text(0) }
        guard mode == "wal" else {
            throw StoreError(
                .other, "the store '\(path)' can't use a write-ahead log here",
                hint: "choose a directory on a local file system")
        }
        // 64 MiB: what a long reader lets the log grow to is given back. 8 MiB of cache hold the
        // inner pages of a store of 10,000 endpoints.
        try execute(
            """
            PRAGMA journal_size_limit = \(64 << 20);
            PRAGMA cache_size = -8192;
            """)
    }

    private func migrate(from version: Int) throws(StoreError) {
        for (index, script) in Migrations.all.enumerated().dropFirst(version) {
            try transaction { () throws(StoreError) in
                try execute(script)
                // PRAGMA takes no parameters; both are part of the transaction.
                try execute(
                    """
                    PRAGMA application_id = \(Migrations.applicationID);
                    PRAGMA user_version = \(index + 1);
                    """)
            }
        }
    }

    private func pragma(_ name: String) throws(StoreError) -> Int64 {
        try first("PRAGMA \(name)") { row throws(StoreError) in row.integer(0) ?? 0 } ?? 0
    }
}
