// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// The owner of one prepared statement; used by `Database` only, which outlives it.
@safe
final class Statement {
    private let handle: OpaquePointer

    /// Compiles `sql`, one statement, for repeated use.
    ///
    /// Nil if SQLite refuses it; the connection then has the reason.
    init?(_ sql: String, on connection: OpaquePointer) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard unsafe sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil) == SQLITE_OK,
            let handle = unsafe handle
        else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds `values` to the parameters in order.
    ///
    /// - Returns: An SQLite result code.
    func bind(_ values: [SQLiteValue]) -> Int32 {
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            guard result == SQLITE_OK else { return result }
        }
        return SQLITE_OK
    }

    /// Goes to the next row.
    ///
    /// - Returns: `SQLITE_ROW`, `SQLITE_DONE` or an error's code.
    func step() -> Int32 { unsafe sqlite3_step(handle) }

    /// The current row; valid until the next `step` or `reset`.
    var row: Row { unsafe Row(handle) }

    /// Ends the run and releases what was bound, so that no large body is kept in memory.
    func reset() {
        // The result repeats that of the last step, which the caller has seen.
        _ = unsafe sqlite3_reset(handle)
        _ = unsafe sqlite3_clear_bindings(handle)
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            return unsafe text.withCString { characters in
                unsafe pollard_sqlite_bind_text(
                    handle, index, characters, UInt64(text.utf8.count))
            }
        case .blob(let blob) where blob.isEmpty:
            return unsafe sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let blob):
            return unsafe blob.withUnsafeBytes { bytes in
                unsafe pollard_sqlite_bind_blob(
                    handle, index, bytes.baseAddress, UInt64(bytes.count))
            }
        }
    }
}

/// One row of a result; columns count from 0.
@safe
struct Row: ~Copyable {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// The integer in `column`; nil for NULL.
    func integer(_ column: Int32) -> Int64? {
        isNull(column) ? nil : unsafe sqlite3_column_int64(handle, column)
    }

    /// The number of something in `column`, at least 0; 0 for NULL.
    ///
    /// At most 2^32 - 1: a damaged number must not overflow the sums that it goes into.
    func count(_ column: Int32) -> Int { Int(UInt32(clamping: integer(column) ?? 0)) }

    /// The text in `column`; nil for NULL.
    func text(_ column: Int32) -> String? {
        guard !isNull(column), let bytes = unsafe sqlite3_column_text(handle, column) else {
            return nil
        }
        // The count is asked for after the text: a conversion may change it.
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The bytes in `column`; nil for NULL.
    func blob(_ column: Int32) -> [UInt8]? {
        guard !isNull(column) else { return nil }
        let bytes = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }
}
