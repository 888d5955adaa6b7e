// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardTestSupport
import Testing

@testable import PollardStore

@Suite struct BodyTableTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Commits each body in turn as a change of one endpoint.
    private func commit(_ bodies: [[UInt8]]) async throws -> [StoredChange] {
        let store = try SQLiteStore(path: directory.store)
        var changes: [StoredChange] = []
        for body in bodies {
            let change = NewChange.to(
                body, after: changes.last?.snapshot, minute: Int64(changes.count))
            changes.append(try await store.commit(change, for: "a"))
        }
        try await store.close()
        return changes
    }

    private func versions(_ count: Int) -> [[UInt8]] {
        var document = JSONDocument()
        return (0..<count).map { _ in
            document.changeOneItem()
            return document.bytes
        }
    }

    private func depths() throws -> [Int64?] {
        try Database.tool(directory.store).all("SELECT depth FROM body ORDER BY id") {
            row throws(StoreError) in row.integer(0)
        }
    }

    @Test func `A chain of forty bodies reads back byte for byte, every 16th kept whole`()
        async throws
    {
        let bodies = versions(40)
        let changes = try await commit(bodies)
        let reader = try StoreReader(path: directory.store)
        for (body, change) in zip(bodies, changes) {
            #expect(try reader.body(change.snapshot.digest) == body)
        }
        #expect(try depths() == (0..<40).map { $0 % 16 })
        let tool = try Database.tool(directory.store)
        #expect(
            try tool.integer("SELECT count(*) FROM body WHERE (base IS NULL) = (depth = 0)") == 40)
        let largest = try #require(
            try tool.integer("SELECT max(length(data)) FROM body WHERE depth > 0"))
        #expect(largest < 200)
    }

    @Test func `Bodies with nothing in common are kept whole`() async throws {
        let bodies = (1...5).map { JSONDocument(seed: $0 * 7_919).bytes.reversed() as [UInt8] }
        let changes = try await commit(bodies)
        #expect(try depths() == [0, 0, 0, 0, 0])
        let reader = try StoreReader(path: directory.store)
        for (body, change) in zip(bodies, changes) {
            #expect(try reader.body(change.snapshot.digest) == body)
        }
    }

    @Test func `Empty, short and long bodies follow each other`() async throws {
        let long = JSONDocument(items: 20_000).bytes
        let bodies: [[UInt8]] = [[], [0], long, long + [10], [1], long + [13]]
        let changes = try await commit(bodies)
        let reader = try StoreReader(path: directory.store)
        for (body, change) in zip(bodies, changes) {
            #expect(try reader.body(change.snapshot.digest) == body)
        }
    }

    @Test func `A flipped byte in a body is found by reading, with its digest`() async throws {
        let bodies = versions(3)
        let changes = try await commit(bodies)
        let tool = try Database.tool(directory.store)
        let frame = try #require(
            try tool.first("SELECT data FROM body WHERE id = 2") {
                row throws(StoreError) in row.blob(0)
            })
        let reader = try StoreReader(path: directory.store)
        var exact = 0
        for index in frame.indices {
            var damaged = frame
            damaged[index] ^= 1
            try tool.run("UPDATE body SET data = ? WHERE id = 2", .blob(damaged))
            // A few bits of a frame say nothing about the bytes: then the body is still exact.
            if let body = try? reader.body(changes[1].snapshot.digest) {
                #expect(body == bodies[1])
                exact += 1
                continue
            }
            await expect(
                """
                the body \(changes[1].snapshot.digest) in the store '\(directory.store)' is \
                damaged; check the disk; bodies stored from now on do not depend on it
                """
            ) { _ = try reader.body(changes[1].snapshot.digest) }
        }
        #expect(frame.count > 40 && exact < 5)
        try tool.run("UPDATE body SET data = zeroblob(40) WHERE id = 2")
        // The one before can be read, the one built on it can't.
        #expect(try reader.body(changes[0].snapshot.digest) == bodies[0])
        #expect(throws: StoreError.self) { try reader.body(changes[2].snapshot.digest) }
    }

    @Test func `SQLite's own check misses what reading a body finds`() async throws {
        let changes = try await commit([JSONDocument().bytes])
        let frame = try #require(
            try Database.tool(directory.store).first("SELECT data FROM body") {
                row throws(StoreError) in row.blob(0)
            })
        var file = try directory.read("pollard.db")
        let middle = Array(frame.dropFirst(frame.count / 2).prefix(16))
        let place = try #require(
            file.indices.dropLast(16).first { Array(file[$0..<$0 + 16]) == middle })
        file[place] ^= 0x10
        try directory.write(file, to: "pollard.db")
        let store = try SQLiteStore(path: directory.store)
        let digest = changes[0].snapshot.digest
        let loss = LostBody("the body \(digest) in the store '\(directory.store)' is damaged")
        await #expect(throws: loss) { try await store.body(digest) }
    }

    @Test func `Wrong content under a digest is found`() async throws {
        let changes = try await commit([[1, 2, 3], [4, 5, 6]])
        try Database.tool(directory.store).execute(
            "UPDATE body SET data = (SELECT data FROM body WHERE id = 2), base = NULL")
        let reader = try StoreReader(path: directory.store)
        #expect(throws: StoreError.self) { try reader.body(changes[0].snapshot.digest) }
        #expect(try reader.body(changes[1].snapshot.digest) == [4, 5, 6])
    }

    @Test func `A ring of bases is damage, not an endless loop`() async throws {
        let changes = try await commit(versions(2))
        try Database.tool(directory.store).execute("UPDATE body SET base = 3 - id")
        let reader = try StoreReader(path: directory.store)
        let error = #expect(throws: StoreError.self) {
            try reader.body(changes[0].snapshot.digest)
        }
        #expect(error?.code == .corrupt)
    }

    @Test func `After a damaged body the next is whole, and the same body repairs it`()
        async throws
    {
        let bodies = versions(3)
        let changes = try await commit(Array(bodies.prefix(2)))
        try Database.tool(directory.store).execute(
            "UPDATE body SET data = zeroblob(40) WHERE id = 2")

        let store = try SQLiteStore(path: directory.store)
        let third = try await store.commit(
            .to(bodies[2], after: changes[1].snapshot, minute: 10), for: "a")
        #expect(try await store.body(third.snapshot.digest) == bodies[2])
        #expect(try depths() == [0, 1, 0])
        let again = try await store.commit(
            .to(bodies[1], after: third.snapshot, minute: 11), for: "a")
        #expect(try await store.body(again.snapshot.digest) == bodies[1])
        #expect(try depths() == [0, 0, 0])
    }

    @Test func `A body that is no longer kept is none, until it comes back`() async throws {
        let changes = try await commit([[1], [2]])
        try Database.tool(directory.store).execute(
            "UPDATE body SET data = NULL, base = NULL WHERE id = 2")
        let store = try SQLiteStore(path: directory.store)
        #expect(try await store.body(changes[1].snapshot.digest) == nil)
        let third = try await store.commit(
            .to([3], after: changes[1].snapshot, minute: 10), for: "a")
        _ = try await store.commit(.to([2], after: third.snapshot, minute: 11), for: "a")
        #expect(try await store.body(changes[1].snapshot.digest) == [2])
        #expect(try await store.body(third.snapshot.digest) == [3])
    }
}
