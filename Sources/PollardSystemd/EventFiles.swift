// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import PollardCore
internal import Synchronization

/// Keeps the last event of each endpoint in a file of its own, for units that wait for it.
///
/// `events/NAME.json` in the runtime directory is replaced as a whole, so that a path unit
/// (systemd.path(5)) with `PathChanged=` starts any unit at an event, and nobody reads half of one.
/// Everybody on the host can read the files: events hold no secrets.
package final class EventFiles: Reporting {
    /// The name of the directory within the runtime directory.
    package static let directoryName = "events"

    /// The kinds that say how an endpoint is; other events leave its file as it is.
    private static let kinds: Set<MessageID> = [
        .firstSnapshot, .changed, .failing, .stillFailing, .recovered, .certificateExpiring,
    ]
    private static let directoryMode: mode_t = 0o755
    private static let fileMode: mode_t = 0o644

    private let directory: String
    private let log: any Reporting
    private let now: @Sendable () -> Timestamp
    /// Endpoints whose last file was not written; also whose turn to write it is.
    private let failed = Mutex<Set<EndpointName>>([])

    /// - Parameters:
    ///   - runtimeDirectory: An existing directory, which this process may write.
    ///   - log: Told, once, of files that can't be written.
    ///   - now: The wall clock; nil for the system's.
    package init(
        runtimeDirectory: String, log: any Reporting, now: (@Sendable () -> Timestamp)? = nil
    ) {
        directory = "\(runtimeDirectory)/\(Self.directoryName)"
        self.log = log
        self.now = now ?? { .now() }
    }

    package func report(_ entry: EventEntry) {
        guard Self.kinds.contains(entry.id), let name = entry.endpoint else { return }
        let text = JSONLinesReporter.line(for: entry, at: now())
        // In one turn with the write: the file left at the end is that of the last event.
        let news = failed.withLock { failed -> SystemdError? in
            do throws(SystemdError) {
                try replaceFile(of: name, with: Array(text.utf8))
                failed.remove(name)
                return nil
            } catch {
                let isNews = failed.isEmpty
                failed.insert(name)
                return isNews ? error : nil
            }
        }
        if let news { log.report(.eventFileTrouble("\(news)")) }
    }

    /// Removes the file of an endpoint that is no longer polled: nothing would ever replace it.
    package func forget(_ name: EndpointName) {
        let path = path(of: name)
        let code = failed.withLock { failed -> CInt in
            failed.remove(name)
            return unsafe unlink(path) == 0 ? 0 : errno
        }
        guard code != 0, code != ENOENT else { return }
        log.report(
            .eventFileTrouble("\(SystemdError(attempt: "remove '\(path)'", code: code))"))
    }

    private func path(of name: EndpointName) -> String { "\(directory)/\(name).json" }

    /// Writes beside the file, then renames: whoever has the old file open keeps it whole.
    private func replaceFile(of name: EndpointName, with bytes: [UInt8]) throws(SystemdError) {
        try makeDirectory()
        let path = path(of: name)
        // No endpoint's name begins with a dot.
        let newPath = "\(directory)/.\(name).json.new"
        guard write(bytes, to: newPath), unsafe rename(newPath, path) == 0 else {
            let code = errno
            unsafe unlink(newPath)
            throw SystemdError(attempt: "write '\(path)'", code: code)
        }
    }

    private func makeDirectory() throws(SystemdError) {
        guard unsafe mkdir(directory, Self.directoryMode) != 0 else {
            // The unit's umask leaves others out.
            if unsafe chmod(directory, Self.directoryMode) == 0 { return }
            throw SystemdError(attempt: "open '\(directory)' to others", code: errno)
        }
        guard errno == EEXIST else {
            throw SystemdError(attempt: "make the directory '\(directory)'", code: errno)
        }
    }

    /// Writes a whole file that others can read; if that fails, `errno` says why.
    private func write(_ bytes: [UInt8], to path: String) -> Bool {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe open(path, flags, Self.fileMode)
        guard file >= 0 else { return false }
        // No fsync: the directory is in memory, and gone after a crash of the machine anyway.
        let isWritten = fchmod(file, Self.fileMode) == 0 && Self.write(bytes, to: file)
        let code = errno
        close(file)
        errno = code
        return isWritten
    }

    private static func write(_ bytes: [UInt8], to file: CInt) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes[start...].withUnsafeBytes { rest in
                unsafe Glibc.write(file, rest.baseAddress, rest.count)
            }
            guard count >= 0 || errno == EINTR else { return false }
            start += max(count, 0)
        }
        return true
    }
}

extension EventEntry {
    /// The endpoint that it is about; nil if it is about none.
    fileprivate var endpoint: EndpointName? {
        fields.first { $0.name == "POLLARD_ENDPOINT" }
            .flatMap { EndpointName(rawValue: $0.value) }
    }
}
