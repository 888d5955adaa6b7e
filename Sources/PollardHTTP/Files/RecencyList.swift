// SPDX-License-Identifier: Apache-2.0

/// Keys with a size each, in the order of their last use: says what has to go to meet a limit.
struct RecencyList<Key: Hashable & Sendable>: Sendable {
    private struct Record {
        var bytes: Int
        var turn: UInt64
    }

    private var records: [Key: Record] = [:]
    /// Each use in order; those that are not a key's last are skipped later.
    private var uses: [(key: Key, turn: UInt64)] = []
    /// The first of `uses` that was not looked at.
    private var next = 0
    private var turn: UInt64 = 0

    /// The size of all, in bytes.
    private(set) var totalBytes = 0

    /// The number of keys.
    var count: Int { records.count }

    /// Whether a key is there.
    func contains(_ key: Key) -> Bool { records[key] != nil }

    /// Adds a key as the last used, or changes its size.
    mutating func insert(_ key: Key, bytes: Int) {
        totalBytes += bytes - (records[key]?.bytes ?? 0)
        turn += 1
        records[key] = Record(bytes: bytes, turn: turn)
        note(key)
    }

    /// Notes a use of a key; nothing if it is not there.
    mutating func touch(_ key: Key) {
        guard records[key] != nil else { return }
        turn += 1
        records[key]?.turn = turn
        note(key)
    }

    /// Removes a key.
    mutating func remove(_ key: Key) {
        if let record = records.removeValue(forKey: key) { totalBytes -= record.bytes }
    }

    /// Removes the key that was not used for the longest time.
    ///
    /// - Returns: That key; nil if there is none.
    mutating func removeLeastRecent() -> Key? {
        while next < uses.count {
            let use = uses[next]
            next += 1
            guard records[use.key]?.turn == use.turn else { continue }
            remove(use.key)
            return use.key
        }
        return nil
    }

    private mutating func note(_ key: Key) {
        uses.append((key, turn))
        // Old uses are dropped when they outnumber the keys, so that this is cheap on average.
        guard uses.count > 2 * records.count + 64 else { return }
        uses = uses[next...].filter { records[$0.key]?.turn == $0.turn }
        next = 0
    }
}
