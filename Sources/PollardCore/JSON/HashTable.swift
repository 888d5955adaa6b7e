// SPDX-License-Identifier: Apache-2.0

/// An open-addressing table of indices, for those who compare the entries themselves.
struct HashTable {
    private var slots: [UInt32]
    private let mask: Int

    /// A table that holds up to `capacity` entries with at least half of its slots free; one for
    /// no entries takes no memory.
    init(capacity: Int) {
        var size = capacity == 0 ? 0 : 16
        while size < capacity * 2 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
        mask = max(size, 1) - 1
    }

    func firstSlot(for hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 8) & mask }

    func nextSlot(after slot: Int) -> Int { (slot &+ 1) & mask }

    /// The entry at `slot`; nil if it is free.
    func entry(at slot: Int) -> Int? {
        guard slot < slots.count else { return nil }
        let entry = slots[slot]
        return entry == 0 ? nil : Int(entry) &- 1
    }

    mutating func insert(_ entry: Int, at slot: Int) {
        slots[slot] = UInt32(truncatingIfNeeded: entry &+ 1)
    }
}
