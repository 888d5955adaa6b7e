// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// The bodies used last, so that what a poll has just read is not read again to store a change.
struct BodyCache {
    /// What all of them take at most: some hundred bodies of an ordinary API.
    static let defaultMaximumBytes = 8 << 20
    /// As many changes as are under way at the same time; a search goes through all.
    private static let maximumCount = 64

    private struct Entry {
        var digest: ContentDigest
        var body: [UInt8]
    }

    private let maximumBytes: Int
    /// The oldest first.
    private var entries: [Entry] = []
    private var bytes = 0

    /// Makes an empty cache; one of 0 bytes keeps nothing.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The body with this digest, if it is kept.
    func body(_ digest: ContentDigest) -> [UInt8]? {
        entries.last { $0.digest == digest }?.body
    }

    /// Keeps `body` in place of the oldest ones; one larger than the cache is not kept.
    mutating func keep(_ body: [UInt8], digest: ContentDigest) {
        guard body.count <= maximumBytes, maximumBytes > 0, self.body(digest) == nil else { return }
        entries.append(Entry(digest: digest, body: body))
        bytes += body.count
        while bytes > maximumBytes || entries.count > Self.maximumCount {
            bytes -= entries.removeFirst().body.count
        }
    }
}
