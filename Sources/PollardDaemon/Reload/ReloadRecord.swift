// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import PollardSystemd
internal import Synchronization

/// The file by which a daemon tells `pollard reload` what became of each reload.
///
/// systemd considers a reload done when its command ends, unless the daemon has said `RELOADING=1`
/// by then: too early on a busy machine. The command waits for this file to count on instead.
final class ReloadRecord: Sendable {
    /// What became of a reload.
    enum Outcome: Codable, Sendable, Equatable {
        case accepted
        /// The errors, a line each.
        case rejected([String])
    }

    /// The content of the file.
    struct Content: Codable, Sendable, Equatable {
        /// The number of reloads since the start.
        var count = 0
        var last = Outcome.accepted
    }

    /// The name of the file in the runtime directory.
    private static let name = "reload.json"

    private let path: String?
    private let content = Mutex(Content())

    /// - Parameter directory: The runtime directory; without it nothing is written.
    init(directory: String?) { path = directory.map { "\($0)/\(Self.name)" } }

    /// Writes that no reload happened yet.
    ///
    /// - Throws: `SystemdError` if the file can't be written.
    func begin() throws(SystemdError) { try write(Content()) }

    /// Counts a reload.
    ///
    /// - Throws: `SystemdError` if the file can't be written.
    func append(_ outcome: Outcome) throws(SystemdError) {
        let next = content.withLock { content in
            content = Content(count: content.count + 1, last: outcome)
            return content
        }
        try write(next)
    }

    /// What the file says; nil without a runtime directory.
    ///
    /// - Throws: `SystemdError` if the file can't be read.
    func read() throws(SystemdError) -> Content? {
        guard let path else { return nil }
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            return try JSONDecoder().decode(Content.self, from: data)
        } catch {
            throw Self.failure("read '\(path)'", error)
        }
    }

    private func write(_ content: Content) throws(SystemdError) {
        guard let path else { return }
        do {
            try JSONEncoder().encode(content).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Self.failure("write '\(path)'", error)
        }
    }

    /// Foundation's errors are no texts for people; what the kernel said is within.
    private static func failure(_ attempt: String, _ error: any Error) -> SystemdError {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        return SystemdError(attempt: attempt, code: cause?.code.rawValue ?? EBADMSG)
    }
}
