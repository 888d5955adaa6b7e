// SPDX-License-Identifier: Apache-2.0

internal import PollardCompression
internal import PollardCore

/// The bodies in a store: addressed by their SHA-256, kept as differences to the body before.
///
/// Used by one actor or task at a time.
final class BodyTable {
    /// Each 16th body of a chain is kept whole, so that no read decompresses more than 16.
    static let maximumDepth = 15
    /// Longer chains are no chains that were written: the bases of a damaged store may form a ring.
    private static let longestChain = 64

    let database: Database
    private let codec: ZstdCodec
    private var cache: BodyCache

    /// Takes the bodies in `database`.
    ///
    /// - Parameters:
    ///   - database: An open store.
    ///   - cachedBytes: The size of the bodies to keep in memory; 0 reads each from the file.
    /// - Throws: `StoreError` if there is no memory for zstd.
    init(database: Database, cachedBytes: Int) throws(StoreError) {
        self.database = database
        cache = BodyCache(maximumBytes: cachedBytes)
        do {
            codec = try ZstdCodec()
        } catch {
            throw StoreError(.other, "the store '\(database.path)' failed: \(error.reason)")
        }
    }

    /// The body with this digest; nil if there is none, or it is no longer kept.
    ///
    /// - Throws: `StoreError` of code `corrupt` if the bytes no longer have the digest.
    func body(_ digest: ContentDigest) throws(StoreError) -> [UInt8]? {
        if let body = cache.body(digest) { return body }
        guard let id = try id(of: digest), let body = try body(id, digest: digest) else {
            return nil
        }
        cache.keep(body, digest: digest)
        return body
    }

    /// Stores `body` unless it is there already, as a difference to another if that helps.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - digest: Their digest.
    ///   - snapshot: The number of a snapshot whose body is likely to be similar.
    /// - Returns: The number of the body.
    /// - Throws: `StoreError` if the store can't be read or written; a damaged base is no error.
    func insert(
        _ body: [UInt8], digest: ContentDigest, after snapshot: Int64?
    ) throws(StoreError) -> Int64 {
        if let known = try id(of: digest) {
            try repair(known, body: body, digest: digest)
            return known
        }
        let frame = try self.frame(for: body, after: snapshot)
        try database.run(
            "INSERT INTO body (digest, size, base, depth, data) VALUES (?, ?, ?, ?, ?)",
            .blob(digest.bytes), .integer(body.count), .integer(frame.base),
            .integer(frame.depth), .blob(frame.data))
        return database.lastInsertedID
    }

    /// Keeps a body that was stored for certain: the next change of its endpoint is built on it.
    func remember(_ body: [UInt8], digest: ContentDigest) { cache.keep(body, digest: digest) }

    /// Replaces the stored form of a body that can't be read, or is no longer kept.
    private func repair(
        _ id: Int64, body: [UInt8], digest: ContentDigest
    ) throws(StoreError) {
        do {
            guard try self.body(id, digest: digest) == nil else { return }
        } catch {
            guard error.code == .corrupt else { throw error }
        }
        // Whole: what it was built on may be the damaged part. Bodies built on it read the same.
        let frame = try wholeFrame(body)
        try database.run(
            "UPDATE body SET size = ?, base = NULL, depth = 0, data = ? WHERE id = ?",
            .integer(body.count), .blob(frame.data), .integer(id))
    }

    // MARK: - Frames

    private struct Frame {
        var data: [UInt8]
        var base: Int64?
        var depth: Int
    }

    /// A body to build on.
    private struct Base {
        var id: Int64
        var depth: Int
        var digest: ContentDigest
    }

    private func frame(for body: [UInt8], after snapshot: Int64?) throws(StoreError) -> Frame {
        guard let snapshot, let base = try base(snapshot), base.depth < Self.maximumDepth,
            let prefix = try readable(base.digest), !prefix.isEmpty
        else { return try wholeFrame(body) }
        let data = try compress(body, prefix: prefix)
        let difference = Frame(data: data, base: base.id, depth: base.depth + 1)
        // JSON alone shrinks to a quarter or less. A difference of that size may not be worth
        // the bodies to read before it: take it if it saves at least a quarter.
        guard data.count > body.count / 8 else { return difference }
        let whole = try wholeFrame(body)
        return data.count <= whole.data.count / 4 * 3 ? difference : whole
    }

    private func wholeFrame(_ body: [UInt8]) throws(StoreError) -> Frame {
        Frame(data: try compress(body, prefix: []), base: nil, depth: 0)
    }

    private func compress(_ body: [UInt8], prefix: [UInt8]) throws(StoreError) -> [UInt8] {
        do {
            return try codec.compress(body, prefix: prefix)
        } catch {
            throw StoreError(
                .other,
                "a body for the store '\(database.path)' could not be compressed: \(error.reason)")
        }
    }

    /// The body of a snapshot; nil if there is none, or it is no longer kept.
    private func base(_ snapshot: Int64) throws(StoreError) -> Base? {
        try database.first(
            """
            SELECT b.id, b.depth, b.digest FROM snapshot s JOIN body b ON b.id = s.body
            WHERE s.id = ? AND b.data IS NOT NULL
            """, .integer(snapshot)
        ) { row throws(StoreError) -> Base? in
            guard let id = row.integer(0), let depth = row.integer(1),
                let digest = row.blob(2).flatMap({ ContentDigest(bytes: $0) })
            else { return nil }
            return Base(id: id, depth: Int(depth), digest: digest)
        }
    }

    /// The body with this digest; nil if it is damaged or no longer kept, so that the next one is
    /// stored whole.
    private func readable(_ digest: ContentDigest) throws(StoreError) -> [UInt8]? {
        do {
            return try body(digest)
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    // MARK: - Reading

    private struct StoredFrame {
        var size: Int
        var base: Int64?
        var data: [UInt8]?
    }

    private func id(of digest: ContentDigest) throws(StoreError) -> Int64? {
        try database.first(
            "SELECT id FROM body WHERE digest = ?", .blob(digest.bytes)
        ) { row throws(StoreError) in row.integer(0) }
    }

    /// Reads a body and checks its digest; nil if it is no longer kept.
    private func body(_ id: Int64, digest: ContentDigest) throws(StoreError) -> [UInt8]? {
        var chain: [StoredFrame] = []
        var next: Int64? = id
        while let id = next {
            guard chain.count < Self.longestChain, let frame = try storedFrame(id) else {
                throw damaged(digest)
            }
            chain.append(frame)
            next = frame.base
        }
        guard chain[0].data != nil else { return nil }
        var body: [UInt8] = []
        for frame in chain.reversed() {
            guard let data = frame.data else { throw damaged(digest) }
            do {
                body = try codec.decompress(data, size: frame.size, prefix: body)
            } catch {
                throw damaged(digest)
            }
        }
        guard ContentDigest(of: body) == digest else { throw damaged(digest) }
        return body
    }

    private func storedFrame(_ id: Int64) throws(StoreError) -> StoredFrame? {
        try database.first(
            "SELECT size, base, data FROM body WHERE id = ?", .integer(id)
        ) { row throws(StoreError) in
            StoredFrame(
                size: Int(clamping: row.integer(0) ?? -1), base: row.integer(1), data: row.blob(2))
        }
    }

    private func damaged(_ digest: ContentDigest) -> StoreError {
        StoreError(
            .corrupt, "the body \(digest) in the store '\(database.path)' is damaged",
            hint: "check the disk; bodies stored from now on do not depend on it")
    }
}
