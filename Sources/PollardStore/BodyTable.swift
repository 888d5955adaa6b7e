// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// The bodies in a store: addressed by their SHA-256, kept as differences to the body before.
struct BodyTable {
    /// Each 16th body of a chain is kept whole, so that no read decompresses more than 16.
    static let maximumDepth = 15
    /// Longer chains are no chains that were written: the bases of a damaged store may form a ring.
    private static let longestChain = 64

    let database: Database
    let codec: ZstdCodec

    init(database: Database) throws(StoreError) {
        self.database = database
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
        guard let id = try id(of: digest) else { return nil }
        return try body(id, digest: digest)
    }

    /// Stores `body` unless it is there already, as a difference to another if that helps.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - digest: Their digest.
    ///   - base: The number of a body that is likely to be similar.
    /// - Returns: The number of the body.
    /// - Throws: `StoreError` if the store can't be read or written; a damaged base is no error.
    func insert(
        _ body: [UInt8], digest: ContentDigest, after base: Int64?
    ) throws(StoreError) -> Int64 {
        if let known = try id(of: digest) {
            try repair(known, body: body, digest: digest)
            return known
        }
        let frame = try self.frame(for: body, after: base)
        try database.run(
            "INSERT INTO body (digest, size, base, depth, data) VALUES (?, ?, ?, ?, ?)",
            .blob(digest.bytes), .integer(body.count), .integer(frame.base),
            .integer(frame.depth), .blob(frame.data))
        return database.lastInsertedID
    }

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

    private func frame(for body: [UInt8], after base: Int64?) throws(StoreError) -> Frame {
        guard let base, let depth = try depth(of: base), depth < Self.maximumDepth,
            let prefix = try readable(base), !prefix.isEmpty
        else { return try wholeFrame(body) }
        let data = try compress(body, prefix: prefix)
        let difference = Frame(data: data, base: base, depth: depth + 1)
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

    /// The body with number `id`; nil if it is damaged, so that the next one is stored whole.
    private func readable(_ id: Int64) throws(StoreError) -> [UInt8]? {
        let digest = try database.first(
            "SELECT digest FROM body WHERE id = ?", .integer(id)
        ) { row throws(StoreError) in row.blob(0).flatMap { ContentDigest(bytes: $0) } }
        guard let digest = digest ?? nil else { return nil }
        do {
            return try body(id, digest: digest)
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
        ) { row throws(StoreError) in row.integer(0) } ?? nil
    }

    private func depth(of id: Int64) throws(StoreError) -> Int? {
        try database.first(
            "SELECT depth FROM body WHERE id = ? AND data IS NOT NULL", .integer(id)
        ) { row throws(StoreError) in Int(row.integer(0) ?? 0) }
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
