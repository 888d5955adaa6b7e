// SPDX-License-Identifier: Apache-2.0

/// A stored body that can't be read now and won't be later.
///
/// Other errors of a store may pass: a change told because of one would be a false one.
package struct LostBody: Error, Sendable, Equatable, CustomStringConvertible {
    /// One lower-case clause, as in `the body 12ab... in the store is damaged`.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}
