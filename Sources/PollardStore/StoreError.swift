// SPDX-License-Identifier: Apache-2.0

/// Why the store could not be opened, read or written.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What a caller decides by; everything else is for people.
    package enum Code: Sendable, Hashable {
        /// There is no file, or no directory to make it in.
        case missing
        /// Another process holds the store, or holds its write lock for too long.
        case locked
        case readOnly
        case permission
        /// SQLite's structures, or a body's bytes, are not what was written.
        case corrupt
        case newerVersion
        /// A reader met a store that only a daemon may bring up to date.
        case olderVersion
        /// A file that is no database, or one of another program.
        case notADatabase
        case full
        case io
        case other
    }

    package let code: Code
    /// One lower-case clause with the path, as in `the store '/x/pollard.db' is read-only`.
    package let message: String
    /// What to do next, if that can be said.
    package let hint: String?

    /// Whether the file has to be replaced: no later attempt finds it better.
    package var needsAnotherFile: Bool {
        switch code {
        case .corrupt, .newerVersion, .notADatabase: true
        case .missing, .locked, .readOnly, .permission, .olderVersion, .full, .io, .other: false
        }
    }

    package init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Message and hint in one line, joined with `; `.
    package var description: String {
        guard let hint else { return message }
        return "\(message); \(hint)"
    }
}
