// SPDX-License-Identifier: Apache-2.0

package import PollardCore

/// Reads a store for a command, while a daemon writes to it or without one.
///
/// It sees what the daemon has flushed, and never changes or locks anything for long.
package final class StoreReader {
    private let bodies: BodyTable
    private var database: Database { bodies.database }

    /// Opens the store at `path`.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - busyTimeout: The time to wait while a daemon recovers or closes; 5 s unless given.
    /// - Throws: `StoreError`; among others `missing` if there is no file.
    package init(path: String, busyTimeout: Duration? = nil) throws(StoreError) {
        bodies = try BodyTable(
            database: .openForReading(
                path: path, busyTimeout: busyTimeout ?? Database.defaultBusyTimeout),
            cachedBytes: 0)
    }

    /// Whether a daemon runs on the store; nil if that can't be told.
    package var isInUse: Bool? { FileLock.isHeld(forStore: database.path) }

    /// The state of each endpoint that was ever polled, removed ones too.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    package func states() throws(StoreError) -> [EndpointName: EndpointState] {
        try database.states()
    }

    /// The name of each endpoint that was ever polled, removed ones too, in order.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    package func names() throws(StoreError) -> [EndpointName] { try database.names() }

    /// Statistics of each endpoint, from the hour that holds `start` on.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    package func statistics(
        since start: Timestamp
    ) throws(StoreError) -> [EndpointName: PollStatistics] {
        try database.statistics(since: start)
    }

    /// The number of changes from `start` on; first snapshots are none.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    package func changeCount(since start: Timestamp) throws(StoreError) -> Int {
        try database.changeCount(since: start)
    }

    /// The last changes of an endpoint, newest first.
    ///
    /// - Parameters:
    ///   - name: The endpoint.
    ///   - limit: The most changes to read.
    ///   - number: Only changes with lower numbers are read; nil for all.
    /// - Returns: None if the endpoint is not known.
    /// - Throws: `StoreError` if the store can't be read.
    package func changes(
        of name: EndpointName, limit: Int, before number: Int64? = nil
    ) throws(StoreError) -> [StoredChange] {
        try database.changes(of: name, limit: limit, before: number)
    }

    /// The snapshots of an endpoint whose digests begin with `prefix`, newest first.
    ///
    /// - Parameters:
    ///   - name: The endpoint.
    ///   - prefix: Hexadecimal digits.
    ///   - limit: The most snapshots to read.
    /// - Returns: Of those with one digest, the newest only.
    /// - Throws: `StoreError` if the store can't be read.
    package func snapshots(
        of name: EndpointName, digestPrefix prefix: String, limit: Int
    ) throws(StoreError) -> [Snapshot] {
        try database.snapshots(of: name, digestPrefix: prefix, limit: limit)
    }

    /// The change of an endpoint with this number, which its snapshot has too; nil if there is none.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    package func change(_ id: Int64, of name: EndpointName) throws(StoreError) -> StoredChange? {
        try database.change(id, of: name)
    }

    /// The body with this digest; nil if there is none, or it is no longer kept.
    ///
    /// - Throws: `StoreError` if the store can't be read, or the bytes no longer have the digest.
    package func body(_ digest: ContentDigest) throws(StoreError) -> [UInt8]? {
        try bodies.body(digest)
    }
}
