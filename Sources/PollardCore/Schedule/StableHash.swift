// SPDX-License-Identifier: Apache-2.0

/// FNV-1a, 64 bits: the same in every process, unlike `Hasher`.
///
/// For spreading phases and noticing edits, not for anything that an adversary may choose
/// (Fowler, Noll, Vo: draft-eastlake-fnv).
package struct StableHash: Sendable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// Mixes in the UTF-8 of `text` and an end mark, so that "ab", "c" differs from "a", "bc".
    package mutating func combine(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        mix(0xff)
    }

    private mutating func mix(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    /// The hash of all that was combined, its bits well mixed.
    package var value: UInt64 {
        // FNV leaves the high bits of short inputs nearly alone: finish as SplitMix64 does.
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
