// SPDX-License-Identifier: Apache-2.0

/// How the body of an answer is understood.
package enum ContentFormat: String, Sendable, CaseIterable {
    /// By Content-Type: JSON types as `json`, `text/*` and XML types as `text`, others as `bytes`.
    case auto
    case json
    case text
    case bytes
}
