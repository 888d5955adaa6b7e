// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

extension PollLoop.Figures {
    /// The one line that `systemctl status` shows, as in
    /// `1,203 endpoints, 5 failing; 12 changes in 24h; 167 polls/min`.
    ///
    /// - Parameter changes: The number of changes within the last 24 hours.
    /// - Returns: One line.
    package func statusLine(changes: Int) -> String {
        let network = networkTroubleSince.map { "network trouble since \($0.rfc3339(.seconds)); " }
        return """
            \(network ?? "")\(endpoints.counted("endpoint")), \(failing.grouped) failing; \
            \(changes.counted("change")) in 24h; \(polls.counted("poll"))/min
            """
    }
}
