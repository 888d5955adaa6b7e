// SPDX-License-Identifier: Apache-2.0

/// A body as understood: what snapshots are compared by.
package enum SnapshotContent: Sendable {
    case json(JSONValue)
    case text(String)
    case bytes([UInt8])

    /// Understands `body` by `format`, which `auto` takes from `contentType`.
    ///
    /// - Throws: `PollFailure` of kind `extract` if the body is not what the format says, and
    ///   of kind `body` if it is empty where the format has no empty value.
    package init(
        decoding body: [UInt8], contentType: String?, format: ContentFormat
    ) throws(PollFailure) {
        throw PollFailure(kind: .extract, message: "not yet")
    }

    /// What differs from `old` to this content under `rules`; nil if nothing does.
    package func difference(from old: SnapshotContent, rules: ComparisonRules) -> ChangeSummary? {
        nil
    }
}
