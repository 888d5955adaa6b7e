// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// A directory of a test's own, removed with all that is in it.
///
/// It goes when the last reference does, which may be right after the last use of the object: hold
/// it in a property of the suite, or use `withTemporaryDirectory`, where its path outlives it.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    package let path: String

    /// Makes an empty directory that only this user can read.
    ///
    /// - Throws: `SystemCallError` if it can't be made.
    package init() throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/pollard-test.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemCallError("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { remove() }

    /// The path of `name` in the directory; nothing is made.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, with the directories above it.
    ///
    /// - Parameters:
    ///   - content: The whole content.
    ///   - name: Relative to the directory.
    /// - Returns: The file's absolute path.
    /// - Throws: What the file system says.
    @discardableResult
    package func write(_ content: some Collection<UInt8>, to name: String) throws -> String {
        let file = URL(filePath: path(of: name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: file)
        return path(of: name)
    }

    /// Writes a file as UTF-8, with the directories above it.
    ///
    /// - Returns: The file's absolute path.
    /// - Throws: What the file system says.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(text.utf8, to: name)
    }

    /// Reads a file of the directory.
    ///
    /// - Throws: What the file system says.
    package func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: path(of: name))))
    }

    /// Removes the directory now; later calls do nothing.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// Calls `body` with a new directory, which exists exactly as long as the call.
///
/// - Throws: `SystemCallError`, or what `body` throws.
package func withTemporaryDirectory<Answer>(
    _ body: (TemporaryDirectory) async throws -> Answer
) async throws -> Answer {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    return try await body(directory)
}
