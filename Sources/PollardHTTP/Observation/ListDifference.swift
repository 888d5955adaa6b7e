// SPDX-License-Identifier: Apache-2.0

/// How one list became another: which elements went, came, moved or changed, told by their ids.
///
/// ```swift
/// let difference = ListDifference(from: shown, to: loaded)
/// for step in difference.steps { table.perform(step) }   // or: shown.apply(difference)
/// ```
///
/// The steps are done in order, each on the list that the one before left. They are as few as can
/// be: an element moves only if it is not in a longest subsequence that kept its order. They come
/// in groups, so that a table view that wants them in a batch finds the indices it expects:
///
/// | group | order | indices |
/// |---|---|---|
/// | `delete` | last first | those of the old list |
/// | `move` | by new place | those of the list meanwhile |
/// | `insert` | first first | those of the new list |
/// | `update` | first first | those of the new list |
///
/// Ids that occur more than once are legal: the first element of an id in the old list is taken
/// for the first in the new one, the second for the second, and so on. It takes O(*n* log *n*).
public struct ListDifference<Element: Identifiable> {
    /// One change of a list.
    public enum Step {
        /// The element at an index is taken out.
        case delete(Element, at: Int)
        /// The element at an index is taken out, and then put in again, as it was.
        case move(Element, from: Int, to: Int)
        /// An element is put in, to have this index.
        case insert(Element, at: Int)
        /// The element at an index is replaced by another with its id.
        case update(Element, to: Element, at: Int)
    }

    /// What to do with the old list to get the new one, in order; empty if there is no difference.
    public let steps: [Step]

    /// Compares two lists.
    ///
    /// - Parameters:
    ///   - old: The list before.
    ///   - new: The list after.
    ///   - isSame: Whether two elements of one id need no update.
    public init(from old: [Element], to new: [Element], isSame: (Element, Element) -> Bool) {
        let matching = ListMatching(old.map(\.id), new.map(\.id))
        var steps: [Step] = []
        for index in old.indices.reversed() where matching.partners[index] == nil {
            steps.append(.delete(old[index], at: index))
        }
        matching.forEachMove { index, from, to in
            steps.append(.move(old[index], from: from, to: to))
        }
        for (index, partner) in matching.origins.enumerated() where partner == nil {
            steps.append(.insert(new[index], at: index))
        }
        for (index, partner) in matching.origins.enumerated() {
            guard let partner, !isSame(old[partner], new[index]) else { continue }
            steps.append(.update(old[partner], to: new[index], at: index))
        }
        self.steps = steps
    }
}

extension ListDifference where Element: Equatable {
    /// Compares two lists; elements of one id that are not equal are updated.
    public init(from old: [Element], to new: [Element]) {
        self.init(from: old, to: new, isSame: ==)
    }
}

extension Array where Element: Identifiable {
    /// Does the steps of a difference.
    ///
    /// - Parameter difference: That of this very list to another, which this becomes; an index that
    ///   is not in the list is a mistake of the program and ends it.
    public mutating func apply(_ difference: ListDifference<Element>) {
        for step in difference.steps { apply(step) }
    }

    /// Does one step of a difference.
    public mutating func apply(_ step: ListDifference<Element>.Step) {
        switch step {
        case .delete(_, let index): remove(at: index)
        case .move(_, let from, let to): insert(remove(at: from), at: to)
        case .insert(let element, let index): insert(element, at: index)
        case .update(_, let element, let index): self[index] = element
        }
    }
}

extension ListDifference: Sendable where Element: Sendable {}
extension ListDifference: Equatable where Element: Equatable {}
extension ListDifference: Hashable where Element: Hashable {}
extension ListDifference.Step: Sendable where Element: Sendable {}
extension ListDifference.Step: Equatable where Element: Equatable {}
extension ListDifference.Step: Hashable where Element: Hashable {}
