// SPDX-License-Identifier: Apache-2.0

/// Two lists to compare: the indices of their items on the old and the new tape.
struct ListItems {
    let old: [Int]
    let new: [Int]

    init(old: JSONDocument, _ oldList: Int, new: JSONDocument, _ newList: Int) {
        self.old = Self.items(of: oldList, in: old)
        self.new = Self.items(of: newList, in: new)
    }

    private static func items(of list: Int, in document: JSONDocument) -> [Int] {
        var items: [Int] = []
        items.reserveCapacity(document.tape[list].length)
        var index = list + 1
        let end = document.tape[list].offset
        while index < end {
            items.append(index)
            index = document.tape.after(index)
        }
        return items
    }
}

/// What happened to one item of a list; positions count from 0.
enum ListStep: Equatable {
    case removed(old: Int)
    case added(new: Int)
    /// The item stayed, in order with the others that stayed; it may differ inside.
    case kept(old: Int, new: Int)
    /// The item changed its order among the others; it may differ inside.
    case moved(old: Int, new: Int)
}
