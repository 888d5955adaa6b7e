// SPDX-License-Identifier: Apache-2.0

extension JSONDifference {
    /// Compares lists whose items are told apart by the value at `pattern` in each.
    ///
    /// - Returns: Whether that was possible; if not, a remark says why.
    mutating func compareByIdentity(
        _ left: Int, _ right: Int, _ place: Place, _ pattern: PathPattern
    ) -> Bool {
        let items = ListItems(old: old, left, new: new, right)
        guard let oldIndex = identityIndex(items.old, of: old, pattern),
            let newIndex = identityIndex(items.new, of: new, pattern)
        else { return false }
        let label = pattern.pointer?.tokens.last ?? ""
        let partners = oldIndex.partners(of: newIndex)
        let steps = Self.steps(partners, oldCount: items.old.count)
        patchStructure(steps, items)
        for step in steps {
            switch step {
            case .removed, .added: reportWhole(step, items, place)
            case .kept(let oldPosition, let newPosition),
                .moved(let oldPosition, let newPosition):
                let inner = matcher.step(place, position: newPosition)
                if matcher.isIgnored(inner) { continue }
                let identity = newIndex.identities[newPosition]
                notes.append(ItemNote(label: label, index: identity))
                if case .moved = step {
                    let pointer = pointer(.position(newPosition))
                    let from = self.pointer(.position(oldPosition))
                    let note = note()
                    report.moved(pointer, from: from, note: note)
                }
                compareItems(items, oldPosition, newPosition, inner)
                notes.removeLast()
            }
        }
        return true
    }

    /// The items by their identity; nil, with a remark, if they can't be told apart.
    private mutating func identityIndex(
        _ items: [Int], of document: JSONDocument, _ pattern: PathPattern
    ) -> IdentityIndex? {
        var identities: [Int] = []
        let tokens = pattern.pointer?.tokens.map { Array($0.utf8) }
        for (position, item) in items.enumerated() {
            guard let tokens, let identity = document.descendant(tokens, of: item) else {
                remark("item \(position) of \(listName) has no \(pattern)")
                return nil
            }
            identities.append(identity)
        }
        let index = IdentityIndex(identities, of: document)
        guard let twin = index.twin else { return index }
        let identity = DifferenceReport.text(
            JSONValue(document: document, index: identities[twin]), maximumLength: 40)
        remark("two items of \(listName) have the \(pattern) \(identity)")
        return nil
    }

    private mutating func remark(_ reason: String) {
        report.remark("\(reason), so its items are compared by position")
    }

    private var listName: String { DifferenceReport.text(pointer()) }

    /// The steps for partners by identity: as few moves as possible.
    ///
    /// - Parameters:
    ///   - partners: For each new item its old position, or -1.
    ///   - oldCount: The number of old items.
    /// - Returns: Removals first, then what became of each new item in order.
    static func steps(_ partners: [Int], oldCount: Int) -> [ListStep] {
        var isPartner = [Bool](repeating: false, count: oldCount)
        for partner in partners where partner >= 0 { isPartner[partner] = true }
        var steps = (0..<oldCount).filter { !isPartner[$0] }.map { ListStep.removed(old: $0) }
        let matched = partners.indices.filter { partners[$0] >= 0 }
        var isInOrder = [Bool](repeating: false, count: partners.count)
        for index in matched.map({ partners[$0] }).longestIncreasingSubsequence() {
            isInOrder[matched[index]] = true
        }
        for (position, partner) in partners.enumerated() {
            if partner < 0 {
                steps.append(.added(new: position))
            } else if isInOrder[position] {
                steps.append(.kept(old: partner, new: position))
            } else {
                steps.append(.moved(old: partner, new: position))
            }
        }
        return steps
    }

    /// Compares lists whose order does not matter: what one has more often than the other.
    mutating func compareAsBags(_ left: Int, _ right: Int, _ place: Place) {
        let items = ListItems(old: old, left, new: new, right)
        let (prefix, suffix) = equalEnds(items, place)
        let oldRange = prefix..<(items.old.count - suffix)
        let newRange = prefix..<(items.new.count - suffix)
        /// By hash, the first old item without a partner; the next ones follow in `next`.
        var first: [UInt64: Int] = [:]
        var next = [Int](repeating: -1, count: items.old.count)
        for position in oldRange.reversed() {
            let inner = matcher.ignore.step(place.ignore, position: position)
            let hash = oldHashes.hash(items.old[position], inner)
            next[position] = first[hash] ?? -1
            first[hash] = position
        }
        var isPartner = [Bool](repeating: false, count: items.old.count)
        var added: [Int] = []
        for position in newRange {
            let inner = matcher.ignore.step(place.ignore, position: position)
            let hash = newHashes.hash(items.new[position], inner)
            if let partner = first[hash], partner >= 0,
                areEqual(items.old[partner], items.new[position], inner)
            {
                isPartner[partner] = true
                first[hash] = next[partner]
            } else {
                added.append(position)
            }
        }
        reportBags(items, removed: oldRange.filter { !isPartner[$0] }, added: added, place)
    }

    private mutating func reportBags(
        _ items: ListItems, removed: [Int], added: [Int], _ place: Place
    ) {
        // Removed from the end, so that each position is right when its turn comes.
        for position in removed.reversed() {
            let pointer = pointer(.position(position))
            report.patch.remove(pointer)
        }
        for position in added {
            let pointer = pointer() + "/-".utf8
            report.patch.add(pointer, newValue(items.new[position]))
        }
        for position in removed { reportWhole(.removed(old: position), items, place) }
        for position in added { reportWhole(.added(new: position), items, place) }
    }
}
