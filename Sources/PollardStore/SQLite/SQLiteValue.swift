// SPDX-License-Identifier: Apache-2.0

/// A value bound to a parameter of a statement (https://sqlite.org/datatype3.html).
enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// The integer, or NULL.
    static func integer(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }

    static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }

    /// The text, or NULL.
    static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }

    /// 1 or 0: SQLite has no type for truth.
    static func flag(_ value: Bool) -> SQLiteValue { .integer(Int64(value ? 1 : 0)) }
}
