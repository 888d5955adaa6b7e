// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import Testing

@Suite struct ListDifferenceTests {
    private struct Row: Identifiable, Hashable {
        var id: Int
        var text = ""
    }

    private func rows(_ ids: [Int]) -> [Row] { ids.map { Row(id: $0) } }

    private func steps(_ old: [Int], _ new: [Int]) -> [ListDifference<Row>.Step] {
        ListDifference(from: rows(old), to: rows(new)).steps
    }

    // MARK: - Examples

    @Test func `Equal lists have no difference`() {
        #expect(steps([], []).isEmpty)
        #expect(steps([1, 2, 3], [1, 2, 3]).isEmpty)
    }

    @Test func `What goes is deleted from the end, what comes is inserted from the start`() {
        #expect(
            steps([1, 2, 3, 4], [5, 2, 6]) == [
                .delete(Row(id: 4), at: 3), .delete(Row(id: 3), at: 2), .delete(Row(id: 1), at: 0),
                .insert(Row(id: 5), at: 0), .insert(Row(id: 6), at: 2),
            ])
    }

    @Test func `One element that went to another place is one move`() {
        #expect(steps([1, 2, 3, 4], [2, 3, 4, 1]) == [.move(Row(id: 1), from: 0, to: 3)])
        #expect(steps([1, 2, 3, 4], [4, 1, 2, 3]) == [.move(Row(id: 4), from: 3, to: 0)])
    }

    @Test func `An element that changed is updated where it is now`() {
        let old = [Row(id: 1, text: "a"), Row(id: 2, text: "b"), Row(id: 3, text: "c")]
        let new = [Row(id: 3, text: "c"), Row(id: 1, text: "A"), Row(id: 2, text: "b")]
        #expect(
            ListDifference(from: old, to: new).steps == [
                .move(Row(id: 3, text: "c"), from: 2, to: 0),
                .update(Row(id: 1, text: "a"), to: Row(id: 1, text: "A"), at: 1),
            ])
        #expect(
            ListDifference(from: old, to: new) { _, _ in true }.steps == [
                .move(Row(id: 3, text: "c"), from: 2, to: 0)
            ])
    }

    @Test func `Elements of one id are taken for each other in their order`() {
        let old = [Row(id: 1, text: "a"), Row(id: 1, text: "b"), Row(id: 2)]
        let new = [Row(id: 1, text: "a"), Row(id: 2), Row(id: 1, text: "c"), Row(id: 1, text: "d")]
        #expect(
            ListDifference(from: old, to: new).steps == [
                .move(Row(id: 1, text: "b"), from: 1, to: 2),
                .insert(Row(id: 1, text: "d"), at: 3),
                .update(Row(id: 1, text: "b"), to: Row(id: 1, text: "c"), at: 2),
            ])
        #expect(steps([1, 1, 1], [1]).count == 2)
    }

    // MARK: - Properties

    /// Lists of at most `count` elements; few ids make many of them occur more than once.
    private func list(
        _ generator: inout some RandomNumberGenerator, count: Int, ids: Int
    ) -> [Row] {
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in
            Row(
                id: Int.random(in: 0..<ids, using: &generator),
                text: Bool.random(using: &generator) ? "a" : "b")
        }
    }

    @Test(arguments: [3, 12, 1000])
    func `The steps make the new list of the old one`(ids: Int) {
        var generator = SeededGenerator(seed: UInt64(ids))
        for _ in 0..<2000 {
            let old = list(&generator, count: 20, ids: ids)
            let new = list(&generator, count: 20, ids: ids)
            var list = old
            list.apply(ListDifference(from: old, to: new))
            guard list == new else {
                Issue.record("\(old) became \(list) and not \(new)")
                return
            }
        }
    }

    @Test func `The indices of a batch are those of the old and the new list`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let old = list(&generator, count: 20, ids: 15)
            let new = list(&generator, count: 20, ids: 15)
            for step in ListDifference(from: old, to: new).steps {
                switch step {
                case .delete(let row, let index): #expect(old[index] == row)
                case .insert(let row, let index), .update(_, let row, let index):
                    #expect(new[index] == row)
                case .move(let row, let from, let to):
                    #expect(old.contains(row))
                    #expect(from != to)
                }
            }
        }
    }

    @Test func `No more elements move than have lost their order`() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let old = Array(0..<Int.random(in: 0...12, using: &generator))
            let new = old.shuffled(using: &generator)
            #expect(steps(old, new).count == old.count - longestIncreasing(new), "\(new)")
        }
    }

    @Test func `A long list turned round takes no quadratic time`() {
        let count = 100_000
        let steps = steps(Array(0..<count), (0..<count).reversed())
        #expect(steps.count == count - 1)
        #expect(steps.first == .move(Row(id: count - 2), from: count - 2, to: count - 1))
        #expect(steps.last == .move(Row(id: 0), from: 0, to: count - 1))
    }

    /// The length of a longest increasing subsequence, by its definition.
    private func longestIncreasing(_ numbers: [Int]) -> Int {
        var lengths: [Int] = []
        for (place, number) in numbers.enumerated() {
            let before = (0..<place).filter { numbers[$0] < number }.map { lengths[$0] }
            lengths.append((before.max() ?? 0) + 1)
        }
        return lengths.max() ?? 0
    }
}

/// Numbers that look random and are the same in each run (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
