// SPDX-License-Identifier: Apache-2.0

/// The items of one list by their identity.
struct IdentityIndex {
    private let document: JSONDocument
    /// For each item, the index of its identity on the tape.
    let identities: [Int]
    private let hashes: [UInt64]
    private var table: HashTable
    /// The first item found whose identity an earlier item has too.
    private(set) var twin: Int?

    /// - Parameters:
    ///   - identities: For each item, the index of its identity on the tape of `document`.
    ///   - document: What holds the items.
    init(_ identities: [Int], of document: JSONDocument) {
        self.document = document
        self.identities = identities
        let hashes = RuledHashes(plain: document)
        self.hashes = identities.map { hashes.hash($0, PathMatcher.State()) }
        table = HashTable(capacity: identities.count)
        let equality = JSONEquality(old: document, new: document)
        for item in identities.indices {
            var slot = table.firstSlot(for: self.hashes[item])
            while let other = table.entry(at: slot) {
                if self.hashes[other] == self.hashes[item],
                    equality.areEqual(identities[other], identities[item])
                {
                    twin = item
                    return
                }
                slot = table.nextSlot(after: slot)
            }
            table.insert(item, at: slot)
        }
    }

    /// For each item of `other`, the item here with the same identity, or -1.
    func partners(of other: IdentityIndex) -> [Int] {
        let equality = JSONEquality(old: document, new: other.document)
        return other.identities.indices.map { item in
            var slot = table.firstSlot(for: other.hashes[item])
            while let candidate = table.entry(at: slot) {
                if hashes[candidate] == other.hashes[item],
                    equality.areEqual(identities[candidate], other.identities[item])
                {
                    return candidate
                }
                slot = table.nextSlot(after: slot)
            }
            return -1
        }
    }
}
