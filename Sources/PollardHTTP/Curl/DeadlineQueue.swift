// SPDX-License-Identifier: Apache-2.0

/// Which of many slots is due first: a binary heap that knows where each slot is.
///
/// A deadline can so be changed or removed without a search, and each slot has but one.
struct DeadlineQueue: Sendable {
    private struct Entry {
        var deadline: Int64
        var slot: Int
    }

    private var heap: [Entry] = []
    /// The place in `heap` of each slot; -1 if it has no deadline.
    private var places: [Int] = []

    /// Makes a queue without deadlines.
    init() {}

    /// The earliest deadline and its slot.
    var first: (deadline: Int64, slot: Int)? { heap.first.map { ($0.deadline, $0.slot) } }

    /// Sees to it that `slot` is due at `deadline` or before: what is earlier stays.
    ///
    /// So that a slot whose requests follow each other at once costs nothing: whoever comes too
    /// early looks, and comes again.
    mutating func advance(_ slot: Int, to deadline: Int64) {
        guard slot < places.count, case let place = places[slot], place >= 0,
            heap[place].deadline <= deadline
        else { return set(slot, to: deadline) }
    }

    /// Sets the only deadline of `slot`.
    private mutating func set(_ slot: Int, to deadline: Int64) {
        while places.count <= slot { places.append(-1) }
        let place = places[slot]
        if place < 0 {
            heap.append(Entry(deadline: deadline, slot: slot))
            places[slot] = heap.count - 1
            rise(from: heap.count - 1)
        } else {
            heap[place].deadline = deadline
            rise(from: place)
            sink(from: places[slot])
        }
    }

    /// Removes the deadline of `slot`, if it has one.
    mutating func remove(_ slot: Int) {
        guard slot < places.count, places[slot] >= 0 else { return }
        let place = places[slot]
        let last = heap.count - 1
        exchange(place, last)
        heap.removeLast()
        places[slot] = -1
        guard place < last else { return }
        let moved = heap[place].slot
        rise(from: place)
        sink(from: places[moved])
    }

    private mutating func rise(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { return }
            exchange(child, parent)
            child = parent
        }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].deadline < heap[least].deadline { least = child }
            }
            guard least != parent else { return }
            exchange(parent, least)
            parent = least
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        places[heap[left].slot] = left
        places[heap[right].slot] = right
    }
}
