// SPDX-License-Identifier: Apache-2.0

/// Numbers that look random and are the same in each run (SplitMix64).
struct Generator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    /// A number from 0 to `limit` less one.
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// True once in `odds` times.
    mutating func once(in odds: Int) -> Bool { below(odds) == 0 }

    /// One of `choices`, which are not empty.
    mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
