// SPDX-License-Identifier: Apache-2.0

/// A YAML value that remembers where it was written.
struct YAMLNode: Sendable {
    /// The value itself.
    enum Content: Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// A key and its value; keys are unique within their map.
    struct Entry: Sendable {
        var key: String
        var keyMark: Mark
        var value: YAMLNode
    }

    var content: Content
    var mark: Mark

    /// What the value is, in a message, as in `must be text, not a list`.
    var kind: String {
        switch content {
        case .scalar(let scalar): scalar.type.kind
        case .sequence: "a list"
        case .mapping: "a map"
        }
    }
}
