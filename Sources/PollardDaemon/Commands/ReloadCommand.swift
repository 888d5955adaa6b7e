// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PollardCore
internal import PollardSystemd

/// Asks the daemon to read its configuration again, and waits until it has: `pollard reload`.
///
/// It is what the unit's `ExecReload=` runs.
struct ReloadCommand {
    /// How long a daemon may take: a configuration of the largest size loads in a few seconds.
    static let patience: Duration = .seconds(60)
    /// How often the daemon's record is looked at.
    static let pause: Duration = .milliseconds(10)

    let environment: [String: String]

    /// Reloads and waits.
    ///
    /// - Throws: `CommandFailure` with the errors of the new configuration, or if there is no
    ///   daemon to ask.
    func run() async throws(CommandFailure) {
        guard let text = environment["MAINPID"], let process = pid_t(text), process > 1 else {
            throw CommandFailure(
                .usage, "'pollard reload' is what the unit runs, with $MAINPID set",
                hint: "use 'systemctl reload pollard', or send SIGHUP to a daemon in a terminal")
        }
        let paths = DaemonPaths(Invocation.Options(), environment: environment)
        let record = ReloadRecord(directory: paths.runtimeDirectory)
        let before = try count(record)
        guard kill(process, SIGHUP) == 0 else {
            throw CommandFailure(.unavailable, "there is no process \(process) to reload")
        }
        let deadline = ContinuousClock.now + Self.patience
        while true {
            if let content = try read(record), content.count > before {
                guard case .rejected(let lines) = content.last else { return }
                var failure = CommandFailure(
                    status: .configuration, text: lines.joined(separator: "\n"))
                // In the journal, the daemon has told each error already.
                failure.isReported = LogFormat.automatic() == .journal
                throw failure
            }
            // Else a new process would not be started before this command ends.
            guard kill(process, 0) == 0 else {
                throw CommandFailure(.unavailable, "process \(process) ended during the reload")
            }
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    .unavailable, "no answer from process \(process) within 60 s",
                    hint: "see 'journalctl -u pollard'")
            }
            do {
                try await Task.sleep(for: Self.pause)
            } catch {
                throw CommandFailure(.unavailable, "cancelled while waiting")
            }
        }
    }

    private func count(_ record: ReloadRecord) throws(CommandFailure) -> Int {
        guard let content = try read(record) else {
            throw CommandFailure(
                .usage, "'pollard reload' needs $RUNTIME_DIRECTORY",
                hint: "set RuntimeDirectory=pollard in the unit")
        }
        return content.count
    }

    private func read(
        _ record: ReloadRecord
    ) throws(CommandFailure) -> ReloadRecord.Content? {
        do throws(SystemdError) {
            return try record.read()
        } catch {
            throw CommandFailure(
                .inputOutput, "\(error)", hint: "the daemon writes it when it has started")
        }
    }
}
