// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct DeadlineQueueTests {
    @Test func `The earliest deadline is first`() {
        var queue = DeadlineQueue()
        #expect(queue.first == nil)
        queue.advance(4, to: 30)
        queue.advance(0, to: 40)
        queue.advance(2, to: 20)
        queue.advance(0, to: 10)
        #expect(queue.first?.slot == 0)
        queue.advance(0, to: 40)
        #expect(queue.first?.deadline == 10)
        queue.remove(0)
        #expect(queue.first?.slot == 2)
        queue.remove(2)
        #expect(queue.first?.deadline == 30)
        queue.remove(2)
        queue.remove(99)
        queue.remove(4)
        queue.remove(0)
        #expect(queue.first == nil)
    }

    @Test func `Any order of changes keeps the order of deadlines`() {
        var generator = SplitMix(state: 11)
        var queue = DeadlineQueue()
        var model: [Int: Int64] = [:]
        for _ in 0..<5000 {
            let slot = Int.random(in: 0..<40, using: &generator)
            if Int.random(in: 0..<3, using: &generator) == 0 {
                queue.remove(slot)
                model[slot] = nil
            } else {
                let deadline = Int64.random(in: 0..<1000, using: &generator)
                queue.advance(slot, to: deadline)
                model[slot] = min(model[slot] ?? .max, deadline)
            }
            #expect(queue.first?.deadline == model.values.min())
            if let first = queue.first { #expect(model[first.slot] == first.deadline) }
        }
    }
}
