// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import PollardCore

/// The owner of one SQLite connection and its prepared statements.
///
/// Not `Sendable`: opened without SQLite's own mutex, it is used by one actor or task at a time.
@safe
final class Database {
    /// How the file is opened.
    enum Mode {
        /// Creates the file if it is not there.
        case readWrite
        case readOnly
        /// Reads without locks and without `-wal` and `-shm` files: only right while nobody writes.
        case immutable
    }

    /// What a committed transaction survives (https://sqlite.org/pragma.html#pragma_synchronous).
    enum Durability: String {
        /// The end of the process, however it ends. After a power failure the last ones may be
        /// missing; those before are there.
        case processEnd = "NORMAL"
        /// A power failure too: waits for the disk, and makes earlier ones survive it with it.
        case powerFailure = "FULL"
    }

    /// The file, for error messages.
    let path: String
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    /// What transactions are set to survive; nil before the first.
    private var durability: Durability?
    /// Held until the connection is closed.
    private let lock: FileLock?
    private let busyTimeout: Duration
    /// Whether the last transaction waited in vain for another process's lock.
    private var isLockedOut = false

    /// The most that a transaction waits for a lock for which the one before it waited in vain:
    /// polls wait behind it, and it is tried again a second later.
    private static let lockedOutTimeout = Duration.milliseconds(100)

    /// Opens the file; SQLite reads it at the first statement.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - mode: How to open it.
    ///   - busyTimeout: The time to wait for another process's lock.
    ///   - lock: A lock to hold for as long as the connection is open.
    /// - Throws: `StoreError` if the file can't be opened or created.
    init(
        path: String, mode: Mode, busyTimeout: Duration, holding lock: FileLock? = nil
    ) throws(StoreError) {
        let flags =
            switch mode {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = mode == .immutable ? Self.immutableURI(path) : path
        var handle: OpaquePointer?
        let result = unsafe sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle = unsafe handle else {
            throw StoreError(.other, "the store '\(path)' failed: out of memory")
        }
        self.path = path
        unsafe self.handle = handle
        self.lock = lock
        self.busyTimeout = busyTimeout
        guard result == SQLITE_OK else { throw failure(result) }
        unsafe sqlite3_extended_result_codes(handle, 1)
        wait(atMost: busyTimeout)
    }

    private func wait(atMost time: Duration) {
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: time.wholeMicroseconds / 1_000))
    }

    deinit {
        statements = [:]
        // Without statements left it can only fail in the last checkpoint, which the next open
        // makes up for.
        _ = unsafe sqlite3_close(handle)
    }

    /// Whether the file can only be read, which SQLite says nothing of when it opens it for writing.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// The number of the row inserted last.
    var lastInsertedID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// The number of rows that the last statement inserted, changed or deleted.
    var changedRows: Int { Int(unsafe sqlite3_changes(handle)) }

    /// Runs the statements in `script`, which give no rows and take no values.
    func execute(_ script: String) throws(StoreError) {
        let result = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Runs one statement that gives no rows.
    func run(_ sql: String, _ values: SQLiteValue...) throws(StoreError) {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        let result = statement.step()
        guard result == SQLITE_DONE || result == SQLITE_ROW else { throw failure(result) }
    }

    /// Reads the first row of a result; nil if there is none, or `read` finds nothing in it.
    func first<Value>(
        _ sql: String, _ values: SQLiteValue...,
        read: (borrowing Row) throws(StoreError) -> Value?
    ) throws(StoreError) -> Value? {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        switch statement.step() {
        case SQLITE_ROW: return try read(statement.row)
        case SQLITE_DONE: return nil
        case let result: throw failure(result)
        }
    }

    /// Reads every row of a result, in order.
    func all<Value>(
        _ sql: String, _ values: SQLiteValue...,
        read: (borrowing Row) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        let statement = try prepared(sql, values)
        defer { statement.reset() }
        var rows: [Value] = []
        while true {
            switch statement.step() {
            case SQLITE_ROW: rows.append(try read(statement.row))
            case SQLITE_DONE: return rows
            case let result: throw failure(result)
            }
        }
    }

    /// Runs `body` in one transaction that is rolled back if anything fails.
    ///
    /// - Parameters:
    ///   - durability: What it survives once it is committed.
    ///   - body: Reads and writes; must not run another transaction.
    /// - Returns: What `body` gives.
    /// - Throws: What `body` throws, or `StoreError` if the transaction can't be made.
    func transaction<Value>(
        surviving durability: Durability = .powerFailure,
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard !hasMoved else { throw StoreError.moved(path) }
        if self.durability != durability {
            // It takes effect when it is compiled, so that no prepared statement can be kept.
            try execute("PRAGMA synchronous = \(durability.rawValue)")
            self.durability = durability
        }
        try begin()
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            if isInTransaction {
                _ = unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            }
            throw error
        }
    }

    /// Runs a part of a transaction, of which nothing is left if it fails.
    ///
    /// - Parameter body: Reads and writes; must not run another part.
    /// - Returns: What `body` gives or throws.
    /// - Throws: What `body` throws, if the whole transaction ended with it.
    func part<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Result<Value, StoreError> {
        try run("SAVEPOINT part")
        do {
            let value = try body()
            try run("RELEASE part")
            return .success(value)
        } catch {
            guard isInTransaction else { throw error }
            try run("ROLLBACK TO part")
            try run("RELEASE part")
            return .failure(error)
        }
    }

    /// A full disk or an I/O error may have ended it before its end.
    /// https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
    private var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Takes the write lock at once (IMMEDIATE), where waiting for it still helps.
    /// https://sqlite.org/lang_transaction.html
    private func begin() throws(StoreError) {
        do {
            try run("BEGIN IMMEDIATE")
            guard isLockedOut else { return }
            isLockedOut = false
            wait(atMost: busyTimeout)
        } catch {
            if error.code == .locked, !isLockedOut {
                isLockedOut = true
                wait(atMost: min(busyTimeout, Self.lockedOutTimeout))
            }
            throw error
        }
    }

    /// Whether the file is no longer at its path: what is written to it then is lost.
    ///
    /// SQLite looks by itself only without a write-ahead log.
    private var hasMoved: Bool {
        var answer: Int32 = 0
        _ = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
        return answer != 0
    }

    private func prepared(
        _ sql: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> Statement {
        let statement: Statement
        if let known = statements[sql] {
            statement = known
        } else {
            guard let new = unsafe Statement(sql, on: handle) else {
                throw failure(unsafe sqlite3_extended_errcode(handle))
            }
            statements[sql] = new
            statement = new
        }
        let result = statement.bind(values)
        guard result == SQLITE_OK else {
            statement.reset()
            throw failure(result)
        }
        return statement
    }

    private func failure(_ result: Int32) -> StoreError {
        StoreError(
            result: result, detail: unsafe String(cString: sqlite3_errmsg(handle)),
            systemError: unsafe sqlite3_system_errno(handle), path: path)
    }

    /// The file as a URI (https://sqlite.org/uri.html), every unusual byte percent-encoded.
    private static func immutableURI(_ path: String) -> String {
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                uri += "%" + String(repeating: "0", count: 2 - digits.count) + digits
            }
        }
        return uri + "?immutable=1"
    }
}
