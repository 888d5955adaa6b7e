// SPDX-License-Identifier: Apache-2.0

/// A syslog level, by the names that `journalctl --priority` takes (syslog(3)).
package enum JournalPriority: Int, Sendable, CaseIterable {
    case emerg, alert, crit, err, warning, notice, info, debug

    /// The level's name.
    package var name: String { String(describing: self) }
}
