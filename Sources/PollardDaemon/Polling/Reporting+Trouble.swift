// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

extension Reporting {
    /// Sends a message to the service manager; one that does not listen is told of in the log, and
    /// no reason to stop polling.
    func reportingTrouble(_ message: () throws -> Void) {
        do {
            try message()
        } catch {
            report(.notifyTrouble("\(error)"))
        }
    }
}
