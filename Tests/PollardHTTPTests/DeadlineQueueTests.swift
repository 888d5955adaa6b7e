// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct DeadlineQueueTests {
    @Test func `The earliest deadline is first`() {
        var queue = DeadlineQueue()
        #expect(queue.first == nil)
        queue.set(4, to: 30)
        queue.set(0, to: 10)
        queue.set(2, to: 20)
        #expect(queue.first?.slot == 0)
        queue.set(0, to: 40)
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
                queue.set(slot, to: deadline)
                model[slot] = deadline
            }
            #expect(queue.first?.deadline == model.values.min())
            if let first = queue.first { #expect(model[first.slot] == first.deadline) }
        }
    }
}
