// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardStore

/// The stored snapshots that `pollard poll` compares with; opened when first asked.
struct StoredSnapshots {
    /// How fetched content compares with the stored snapshot.
    enum Comparison {
        case unchanged(since: Timestamp)
        case changed(ChangeSummary, since: Timestamp)
        /// There is nothing to compare with, for this reason.
        case none(String)
    }

    let path: String

    /// Compares `content` with the last snapshot of `endpoint`.
    func comparison(of content: SnapshotContent, with endpoint: WatchedEndpoint) -> Comparison {
        do throws(StoreError) {
            let reader = try StoreReader(path: path)
            guard let snapshot = try reader.states()[endpoint.name]?.snapshot,
                let body = try reader.body(snapshot.digest)
            else { return .none("no snapshot is stored yet") }
            let old = endpoint.storedContent(of: body, contentType: snapshot.contentType)
            let rules = endpoint.configuration.rules
            guard let summary = content.difference(from: old, rules: rules) else {
                return .unchanged(since: snapshot.takenAt)
            }
            return .changed(endpoint.redactor.redact(summary), since: snapshot.takenAt)
        } catch {
            return .none(error.message)
        }
    }
}
