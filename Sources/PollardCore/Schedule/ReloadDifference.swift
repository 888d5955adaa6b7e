// SPDX-License-Identifier: Apache-2.0

/// How the endpoints of a new configuration differ from those of the old one.
package struct ReloadDifference: Sendable, Hashable {
    package var added = 0
    package var removed: [EndpointName] = []
    /// Endpoints with the same name and another configuration.
    package var changed = 0

    package init() {}

    /// The counts in words, as in `2 added, 1 removed` or `none changed`.
    package var text: String {
        let parts = [(added, "added"), (removed.count, "removed"), (changed, "changed")]
            .filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        return parts.isEmpty ? "none changed" : parts.joined(separator: ", ")
    }
}
