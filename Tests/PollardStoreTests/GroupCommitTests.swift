// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardCore
import PollardTestSupport
import Synchronization
import Testing

@testable import PollardStore

/// Changes that come while the disk is waited for, and become one transaction.
@Suite struct GroupCommitTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Commits changes of endpoints named `n0`, `n1` and so on while the store is held up.
    private func commit(
        _ changes: [NewChange], to store: SQLiteStore, meanwhile: () throws -> Void = {}
    ) async throws -> [Result<StoredChange, any Error>] {
        let tool = try Database.tool(directory.store)
        try tool.execute("BEGIN IMMEDIATE")
        store.note(.of("noted", minute: 1))
        let flush = Task { try await store.flush() }
        try await waitUntil("the flush") { store.noted.withLock { $0.isEmpty } }
        return try await withThrowingTaskGroup { group in
            for (index, change) in changes.enumerated() {
                group.addTask { () -> (Int, Result<StoredChange, any Error>) in
                    let name = try #require(EndpointName(rawValue: "n\(index)"))
                    do {
                        return (index, .success(try await store.commit(change, for: name)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            try await waitUntil("all changes") {
                store.waiting.withLock { $0.count } == changes.count
            }
            try meanwhile()
            try tool.execute("ROLLBACK")
            try await flush.value
            return try await group.reduce(into: []) { $0.append($1) }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    @Test
    func `A change behind those that filled a transaction was told that the store was closed`()
        async throws
    {
        let store = try SQLiteStore(path: directory.store, busyTimeout: testPatience)
        let name = try #require(EndpointName(rawValue: "other"))
        store.waiting.withLock { waiting in
            waiting += (0..<SQLiteStore.maximumGroup).map {
                SQLiteStore.Commit(.to([UInt8($0)], minute: Int64($0)), name)
            }
        }
        let last = try #require(EndpointName(rawValue: "last"))
        let stored = try await store.commit(.to([99], minute: 99), for: last)
        #expect(stored.id == Int64(SQLiteStore.maximumGroup) + 1)
        try await store.close()
        await #expect(throws: StoreError.self) {
            try await store.commit(.to([100], minute: 100), for: last)
        }
    }

    @Test func `Changes at the same moment are all stored, in more than one group if need be`()
        async throws
    {
        let store = try SQLiteStore(path: directory.store, busyTimeout: testPatience)
        let count = SQLiteStore.maximumGroup + 10
        let changes = (0..<count).map { NewChange.to([UInt8($0)], minute: Int64($0)) }
        let results = try await commit(changes, to: store)
        let stored = try results.map { try $0.get() }
        #expect(stored.map(\.event) == changes.map(\.event))
        #expect(stored.map(\.name.rawValue) == (0..<count).map { "n\($0)" })
        let unreported = try await store.unreportedChanges()
        #expect(
            Set(unreported) == Set(stored) && unreported.map(\.id) == unreported.map(\.id).sorted())
        #expect(try await store.states().count == count + 1)
    }

    @Test func `A change that is refused leaves nothing, and does not fail those beside it`()
        async throws
    {
        let store = try SQLiteStore(path: directory.store, busyTimeout: testPatience)
        let known = try await store.commit(.to([9], minute: 9), for: "known")
        var changes = (0..<5).map { NewChange.to([UInt8($0)], minute: Int64($0)) }
        changes[2].event = known.event
        let results = try await commit(changes, to: store)
        let message =
            "the store '\(directory.store)' failed: UNIQUE constraint failed: change.event"
        for (index, result) in results.enumerated() {
            if index == 2 {
                #expect(throws: StoreError(.other, message)) { try result.get() }
            } else {
                #expect(try result.get().event == changes[index].event)
            }
        }
        let tool = try Database.tool(directory.store)
        #expect(try tool.integer("SELECT count(*) FROM endpoint WHERE name = 'n2'") == 0)
        #expect(try tool.integer("SELECT count(*) FROM body") == 5)
        // The number of the endpoint, which was given and taken back, is not kept.
        changes[2].event = .hexadecimal(77)
        let again = try await store.commit(changes[2], for: "n2")
        #expect(try await store.unreportedChanges().last == again)
    }

    @Test func `All are told when their transaction can't begin`() async throws {
        let store = try SQLiteStore(path: directory.store, busyTimeout: testPatience)
        let changes = (0..<3).map { NewChange.to([UInt8($0)], minute: Int64($0)) }
        let results = try await commit(changes, to: store) { unsafe unlink(directory.store) }
        for result in results {
            #expect(throws: StoreError.moved(directory.store)) { try result.get() }
        }
    }
}
