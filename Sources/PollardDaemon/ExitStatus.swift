// SPDX-License-Identifier: Apache-2.0

/// The exit statuses of `pollard` (sysexits(3)).
package enum ExitStatus: Int32, Sendable {
    case success = 0
    /// A poll failed.
    case pollFailed = 1
    /// The command line makes no sense.
    case usage = 64
    /// `run` can't use the store until somebody replaces it: a restart is no help.
    case unusableStore = 65
    /// Something that was named does not exist.
    case noInput = 66
    /// Something that is needed is in use or not there.
    case unavailable = 69
    /// Reading or writing failed.
    case inputOutput = 74
    /// The configuration has errors.
    case configuration = 78
}

/// Why a command ended early, with all that is told to the person who started it.
package struct CommandFailure: Error, Sendable {
    package var status: ExitStatus
    /// Lines for standard error, complete with prefixes.
    package var text: String
    /// Whether events have told it already, so that standard error need not.
    package var isReported = false
    /// The number for the service manager of what the system refused (errno(3)); nil if it was not
    /// the system.
    package var systemError: Int32?

    package init(status: ExitStatus, text: String) {
        self.status = status
        self.text = text
    }

    /// The first line of the text.
    package var headline: String { text.split(separator: "\n").first.map(String.init) ?? "" }

    /// Makes a failure of the form `pollard: message`, then a hint.
    package init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        text = "pollard: \(message)" + (hint.map { "\nhint: \($0)" } ?? "")
    }
}
