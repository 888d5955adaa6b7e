// SPDX-License-Identifier: Apache-2.0

extension JSONDifference {
    /// Reports `steps`, which move nothing, and what differs inside the items that stayed.
    ///
    /// Items that no step names are equal.
    mutating func apply(_ steps: [ListStep], _ items: ListItems, _ place: Place) {
        patchStructure(steps, items)
        for step in steps {
            guard case .kept(let oldPosition, let newPosition) = step else {
                reportWhole(step, items, place)
                continue
            }
            let inner = matcher.step(place, position: newPosition)
            if !matcher.isIgnored(inner) {
                compareItems(items, oldPosition, newPosition, inner)
            }
        }
    }

    /// Compares two items that are each other's partners.
    mutating func compareItems(
        _ items: ListItems, _ oldPosition: Int, _ newPosition: Int, _ place: Place
    ) {
        path.push(.position(newPosition))
        compare(items.old[oldPosition], items.new[newPosition], place)
        path.pop()
    }

    /// Reports an item that is only in one of the lists.
    mutating func reportWhole(_ step: ListStep, _ items: ListItems, _ place: Place) {
        switch step {
        case .removed(let position):
            if matcher.isIgnored(matcher.step(place, position: position)) { return }
            let pointer = pointer(.position(position))
            report.removed(pointer, oldValue(items.old[position]))
        case .added(let position):
            if matcher.isIgnored(matcher.step(place, position: position)) { return }
            let pointer = pointer(.position(position))
            report.added(pointer, newValue(items.new[position]))
        case .kept, .moved: return
        }
    }

    /// Writes the operations that give the list its new items in their new order.
    ///
    /// What differs inside items comes after, at the new positions. Also items at ignored
    /// positions are removed and added here, since the positions of the others depend on them.
    mutating func patchStructure(_ steps: [ListStep], _ items: ListItems) {
        for step in steps.reversed() {
            if case .removed(let position) = step {
                let pointer = pointer(.position(position))
                report.patch.remove(pointer)
            }
        }
        let isMoving = steps.contains { if case .moved = $0 { true } else { false } }
        if isMoving {
            patchMoves(steps, items)
            return
        }
        for step in steps {
            if case .added(let position) = step {
                let pointer = pointer(.position(position))
                report.patch.add(pointer, newValue(items.new[position]))
            }
        }
    }

    /// Writes additions and moves, each to right behind the item that precedes it in the new list.
    ///
    /// Items that are still to be moved lie among the others meanwhile; so the list is kept as it
    /// is after each operation. That is quadratic, but the patch's limit bounds the operations.
    private mutating func patchMoves(_ steps: [ListStep], _ items: ListItems) {
        /// The items by their old positions, and added ones by the old count plus the new one.
        var working: [Int] = []
        var removed = Set<Int>()
        for case .removed(let position) in steps { removed.insert(position) }
        working = items.old.indices.filter { !removed.contains($0) }
        var predecessor: Int?
        for step in steps where !report.patch.isTruncated {
            switch step {
            case .removed: continue
            case .kept(let oldPosition, _): predecessor = oldPosition
            case .added(let newPosition):
                let target = predecessor.flatMap { working.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
                let item = items.old.count + newPosition
                working.insert(item, at: target)
                let pointer = pointer(.position(target))
                report.patch.add(pointer, newValue(items.new[newPosition]))
                predecessor = item
            case .moved(let oldPosition, _):
                patchMove(of: oldPosition, behind: predecessor, &working)
                predecessor = oldPosition
            }
        }
    }

    private mutating func patchMove(
        of item: Int, behind predecessor: Int?, _ working: inout [Int]
    ) {
        guard let source = working.firstIndex(of: item) else { return }
        working.remove(at: source)
        let target = predecessor.flatMap { working.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        working.insert(item, at: target)
        // It may have come to its place by the moves of others.
        if source != target {
            let from = pointer(.position(source))
            let to = pointer(.position(target))
            report.patch.move(from, to: to)
        }
    }
}
