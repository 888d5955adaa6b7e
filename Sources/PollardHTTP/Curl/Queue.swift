// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue with constant amortised cost.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    /// The oldest element.
    var first: Element? { head < elements.count ? elements[head] : nil }

    /// Adds an element behind all others.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes the oldest element and returns it.
    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        if head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
