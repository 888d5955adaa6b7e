// SPDX-License-Identifier: Apache-2.0

/// A body as understood: what snapshots are compared by.
package enum SnapshotContent: Sendable {
    case json(JSONValue)
    case text(String)
    case bytes([UInt8])

    /// What differs from `old` to this content under `rules`; nil if nothing does.
    ///
    /// For JSON, the patch applied to `old` gives this content, except at ignored places and in
    /// the order of lists whose order does not matter. Contents of different kinds are one
    /// update of the whole.
    package func difference(
        from old: SnapshotContent, rules: ComparisonRules, bounds: DifferenceBounds = .event
    ) -> ChangeSummary? {
        switch (old, self) {
        case (.json(let old), .json(let new)):
            return JSONDifference.summary(old: old, new: new, rules: rules, bounds: bounds)
        case (.text(let old), .text(let new)):
            return TextDifference(old: old, new: new).summary(bounds: bounds)
        case (.bytes(let old), .bytes(let new)):
            return old == new
                ? nil : Self.update("\(old.count.grouped) -> \(new.count.grouped) bytes")
        default:
            return Self.update("\(old.kindName) -> \(kindName)")
        }
    }

    private static func update(_ text: String) -> ChangeSummary {
        var summary = ChangeSummary()
        summary.updated = 1
        summary.lines = ["~ \(text)"]
        return summary
    }

    private var kindName: String {
        switch self {
        case .json: "json"
        case .text: "text"
        case .bytes: "bytes"
        }
    }
}
