// SPDX-License-Identifier: Apache-2.0

/// A priority queue: the element that `precedes` all others comes first.
struct BinaryHeap<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private let precedes: @Sendable (Element, Element) -> Bool

    init(precedes: @escaping @Sendable (Element, Element) -> Bool) { self.precedes = precedes }

    /// The element that comes first.
    var first: Element? { elements.first }

    /// Adds `element` in logarithmic time.
    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(elements[child], elements[parent]) else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the first element, if there is one, in logarithmic time.
    mutating func removeFirst() {
        guard let last = elements.popLast(), !elements.isEmpty else { return }
        elements[0] = last
        var parent = 0
        while true {
            let left = 2 * parent + 1
            let right = left + 1
            var least = parent
            if left < elements.count, precedes(elements[left], elements[least]) { least = left }
            if right < elements.count, precedes(elements[right], elements[least]) { least = right }
            guard least != parent else { return }
            elements.swapAt(parent, least)
            parent = least
        }
    }
}
