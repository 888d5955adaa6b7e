// SPDX-License-Identifier: Apache-2.0

/// How much of a difference is told: further lines are only counted, and a longer patch is left out.
package struct DifferenceBounds: Sendable {
    /// The readable lines that are kept.
    package let lines: Int
    /// The longest patch that is kept, in bytes.
    package let patchBytes: Int

    /// What an event has: lines that a person reads, and a patch that a journal field may hold
    /// without harm.
    package static let event = DifferenceBounds(lines: 20, patchBytes: 64 << 10)
    /// For who asks for all of it: more lines than anybody reads, and any patch of documents that
    /// can be stored; both only keep memory within bounds.
    package static let whole = DifferenceBounds(lines: 100_000, patchBytes: 1 << 30)
}
