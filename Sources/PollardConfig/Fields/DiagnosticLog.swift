// SPDX-License-Identifier: Apache-2.0

/// Collects what is wrong, so that the operator sees all of it at once.
final class DiagnosticLog {
    /// More than anybody reads; bounds the time and memory that a hostile file costs.
    static let maximumErrors = 1000

    private struct Entry {
        var file: Int
        var diagnostic: ConfigurationDiagnostic
    }

    private var errors: [Entry] = []
    private var warnings: [Entry] = []
    /// What was already said: a value under an anchor is read once for every alias.
    private var said: Set<ConfigurationDiagnostic> = []
    private var unshown = 0

    /// Whether nothing was wrong so far.
    var isClean: Bool { errors.isEmpty }

    /// Whether further errors are only counted, so that hints for them are not worth their time.
    var isFull: Bool { errors.count >= Self.maximumErrors }

    /// Adds an error at `mark` in `file`, or about the file as a whole.
    func error(_ message: String, in file: SourceFile, at mark: Mark?, hint: String?) {
        guard !isFull else {
            unshown += 1
            return
        }
        add(.error, message, in: file, at: mark, hint: hint)
    }

    /// Adds a warning at `mark` in `file`, or about the file as a whole.
    func warning(_ message: String, in file: SourceFile, at mark: Mark?, hint: String?) {
        add(.warning, message, in: file, at: mark, hint: hint)
    }

    private func add(
        _ severity: ConfigurationDiagnostic.Severity, _ message: String, in file: SourceFile,
        at mark: Mark?, hint: String?
    ) {
        let diagnostic = ConfigurationDiagnostic(
            severity: severity, file: file.path, line: mark?.line ?? 0, column: mark?.column ?? 0,
            message: message, hint: hint)
        guard said.insert(diagnostic).inserted else { return }
        let entry = Entry(file: file.index, diagnostic: diagnostic)
        if severity == .error { errors.append(entry) } else { warnings.append(entry) }
    }

    /// All errors in the order of the files and the places in them.
    func sortedErrors() -> [ConfigurationDiagnostic] {
        let sorted = Self.sorted(errors)
        guard unshown > 0, let last = sorted.last else { return sorted }
        return sorted + [
            ConfigurationDiagnostic(
                file: last.file, line: 0, column: 0, message: "\(unshown) more errors")
        ]
    }

    /// All warnings in the order of the files and the places in them.
    func sortedWarnings() -> [ConfigurationDiagnostic] { Self.sorted(warnings) }

    private static func sorted(_ entries: [Entry]) -> [ConfigurationDiagnostic] {
        let places = entries.enumerated().sorted { left, right in
            let (a, b) = (left.element, right.element)
            return (a.file, a.diagnostic.line, a.diagnostic.column, left.offset)
                < (b.file, b.diagnostic.line, b.diagnostic.column, right.offset)
        }
        return places.map(\.element.diagnostic)
    }
}
