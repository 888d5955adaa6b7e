// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the status line says before the figures, while there is something to say.
final class StatusBoard: Sendable {
    private let rejection = Mutex<String?>(nil)

    /// Notes that a new configuration was rejected; said until one is taken.
    func noteRejection(_ diagnostic: String) {
        rejection.withLock {
            $0 = "new configuration rejected, the old one is in force: \(diagnostic)"
        }
    }

    /// Notes that the configuration of the files is the one in force.
    func clearRejection() { rejection.withLock { $0 = nil } }

    /// The status line over these figures.
    func line(over figures: String) -> String {
        rejection.withLock { $0.map { "\($0); \(figures)" } ?? figures }
    }
}
