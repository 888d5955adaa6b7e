// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

@Suite struct SequenceMatchingTests {
    /// The length of a longest common subsequence, by the plain table.
    static func commonLength(_ old: [Int32], _ new: [Int32]) -> Int {
        var row = [Int](repeating: 0, count: new.count + 1)
        for element in old {
            var diagonal = 0
            for index in new.indices {
                let above = row[index + 1]
                row[index + 1] =
                    element == new[index] ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[new.count]
    }

    static func matched(_ sequence: [Int32], _ isMatched: [Bool]) -> [Int32] {
        zip(sequence, isMatched).filter { $0.1 }.map { $0.0 }
    }

    @Test func `Small sequences are matched as well as possible`() {
        var generator = Generator(seed: 7)
        for _ in 0..<4_000 {
            let letters = 1 + generator.below(6)
            let old = (0..<generator.below(15)).map { _ in Int32(generator.below(letters)) }
            let new = (0..<generator.below(15)).map { _ in Int32(generator.below(letters)) }
            let matching = SequenceMatching(old, new, count: letters)
            let common = Self.matched(old, matching.isOldMatched)
            #expect(common == Self.matched(new, matching.isNewMatched))
            #expect(common.count == Self.commonLength(old, new), "\(old) \(new)")
        }
    }

    @Test func `Beyond the cost limit the matching is still valid`() {
        var generator = Generator(seed: 8)
        for round in 0..<400 {
            let letters = 1 + generator.below(30)
            let old = (0..<generator.below(120)).map { _ in Int32(generator.below(letters)) }
            let new = (0..<generator.below(120)).map { _ in Int32(generator.below(letters)) }
            let matching = SequenceMatching(
                old, new, count: letters, maximumCost: 2 + round % 7)
            let common = Self.matched(old, matching.isOldMatched)
            #expect(common == Self.matched(new, matching.isNewMatched))
            #expect(common.count <= Self.commonLength(old, new))
        }
    }

    @Test func `A large shuffled sequence takes bounded time`() {
        var generator = Generator(seed: 9)
        let old = (0..<5_000).map { Int32($0) }
        let new = old.shuffled(using: &generator)
        var common = 0
        let elapsed = processorTime {
            common = SequenceMatching(old, new, count: old.count).isOldMatched.count { $0 }
        }
        #expect(common > 0)
        #expect(elapsed < .seconds(30))
    }

    @Test(
        arguments: [
            ([], 0), ([1], 1), ([1, 2, 3], 3), ([3, 2, 1], 1), ([2, 1, 4, 3, 6, 5], 3),
            ([10, 9, 2, 5, 3, 7, 101, 18], 4),
            ([0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11], 5),
            ([1, 1, 1], 1),
        ] as [([Int], Int)])
    func `A longest increasing subsequence is found`(sequence: [Int], length: Int) {
        let indices = sequence.longestIncreasingSubsequence()
        #expect(indices.count == length)
        #expect(indices == indices.sorted())
        let elements = indices.map { sequence[$0] }
        #expect(zip(elements, elements.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `Moves are as few as possible`() throws {
        var generator = Generator(seed: 10)
        for _ in 0..<300 {
            let order = Array(0..<(1 + generator.below(7))).shuffled(using: &generator)
            let steps = JSONDifference.steps(order, oldCount: order.count)
            let moves = steps.count { if case .moved = $0 { true } else { false } }
            #expect(order.count - moves == Self.longestIncreasing(order))
        }
    }

    /// By trying every subset.
    static func longestIncreasing(_ sequence: [Int]) -> Int {
        (0..<(1 << sequence.count)).map { subset in
            let chosen = sequence.indices.filter { subset & 1 << $0 != 0 }.map { sequence[$0] }
            return chosen == chosen.sorted() ? chosen.count : 0
        }.max() ?? 0
    }
}
