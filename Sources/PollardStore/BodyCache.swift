// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// The bodies used last, so that what a poll has just read is not read again to store a change, and
/// the next change of an endpoint that changes often need not decompress a chain of differences.
struct BodyCache {
    /// What all of them take at most: some hundred bodies of an ordinary API.
    static let defaultMaximumBytes = 8 << 20
    /// What a body takes beside its bytes, so that many tiny ones are not for free.
    static let overhead = 200

    private struct Entry {
        var body: [UInt8]
        /// The number of the use that was the last.
        var lastUse: UInt64
    }

    private let maximumBytes: Int
    private var entries: [ContentDigest: Entry] = [:]
    /// Every use in order; those that are not the last of their body count no more.
    private var uses: [(digest: ContentDigest, number: UInt64)] = []
    private var oldestUse = 0
    private var useCount: UInt64 = 0
    private var bytes = 0

    /// Makes an empty cache; one of 0 bytes keeps nothing.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The body with this digest, if it is kept; it then goes later than all others.
    mutating func body(_ digest: ContentDigest) -> [UInt8]? {
        guard let body = entries[digest]?.body else { return nil }
        noteUse(of: digest)
        return body
    }

    /// Keeps `body` in place of those not used for longest; one larger than the cache is not kept.
    mutating func keep(_ body: [UInt8], digest: ContentDigest) {
        let size = body.count + Self.overhead
        guard size <= maximumBytes, self.body(digest) == nil else { return }
        entries[digest] = Entry(body: body, lastUse: 0)
        bytes += size
        noteUse(of: digest)
        while bytes > maximumBytes { dropOldest() }
    }

    private mutating func noteUse(of digest: ContentDigest) {
        useCount += 1
        entries[digest]?.lastUse = useCount
        uses.append((digest, useCount))
        // At most a few uses for each body that is kept: constant time on average.
        guard uses.count > 4 * entries.count + 16 else { return }
        uses.removeFirst(oldestUse)
        uses.removeAll { use in entries[use.digest]?.lastUse != use.number }
        oldestUse = 0
    }

    private mutating func dropOldest() {
        let use = uses[oldestUse]
        oldestUse += 1
        guard let entry = entries[use.digest], entry.lastUse == use.number else { return }
        entries[use.digest] = nil
        bytes -= entry.body.count + Self.overhead
    }
}
