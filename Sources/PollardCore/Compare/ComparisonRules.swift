// SPDX-License-Identifier: Apache-2.0

/// What counts as a difference between two snapshots of an endpoint.
package struct ComparisonRules: Sendable, Hashable {
    /// Values at these places are not compared.
    package var ignore: [PathPattern] = []
    /// How the items of lists are told apart; the first rule that names a list holds for it.
    package var identity: [IdentityRule] = []

    package init() {}
}

/// How the items of one list, or of every list, are told apart.
///
/// A list without a rule is compared by order: an item that changed its place is then one that
/// was removed and one that was added, since only an identity can tell that it moved.
package struct IdentityRule: Sendable, Hashable {
    /// The list's place; nil for the list at the top of the document.
    package var list: PathPattern?
    package var identity: Identity

    package init(list: PathPattern?, identity: Identity) {
        self.list = list
        self.identity = identity
    }

    package enum Identity: Sendable, Hashable {
        /// The value at this pointer inside the item; `id` in a configuration is `/id`.
        ///
        /// A wildcard names no single value, so an item has no identity by it.
        case pointer(PathPattern)
        /// The whole item: order does not matter.
        ///
        /// Items are the same if they are equal without what is ignored in them; rules for lists
        /// inside of them do not count.
        case wholeItem
    }
}
