// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardStore

/// Expects `body` to throw a `StoreError` that describes itself as `description`.
func expect(
    _ description: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
        try await body()
    }
    #expect(error?.description == description, sourceLocation: sourceLocation)
}

extension Database {
    /// The integer that `sql` gives.
    func integer(_ sql: String) throws -> Int64? {
        try first(sql) { row throws(StoreError) in row.integer(0) }
    }

    /// A connection for a test to look into a store, or to damage it.
    static func tool(_ path: String) throws(StoreError) -> Database {
        try Database(path: path, mode: .readWrite, busyTimeout: .seconds(5))
    }
}
