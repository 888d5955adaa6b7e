// SPDX-License-Identifier: Apache-2.0

/// One thing that is wrong with the configuration, and where.
package struct ConfigurationDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// Whether the configuration can be used all the same.
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package let severity: Severity
    /// The file as the operator named it, or the file of `conf.d` beside it.
    package let file: String
    /// The line, counted from 1; 0 if the file as a whole is meant.
    package let line: Int
    /// The column in characters, counted from 1; 0 if the file as a whole is meant.
    package let column: Int
    /// One lower-case clause, which never holds a secret.
    package let message: String
    /// What to do next, if that can be said.
    package let hint: String?

    package init(
        severity: Severity = .error, file: String, line: Int, column: Int, message: String,
        hint: String? = nil
    ) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint
    }

    /// `file:line:column: error: message (hint)` on one line, as editors and `grep` expect it.
    package var description: String {
        let place = line > 0 ? "\(file):\(line):\(column)" : file
        let text = "\(place): \(severity.rawValue): \(message)"
        guard let hint else { return text }
        return "\(text) (\(hint))"
    }
}
