// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// What daemon and commands both read.
extension Database {
    /// The state of each endpoint that was ever polled.
    func states() throws(StoreError) -> [EndpointName: EndpointState] {
        let rows = try all(
            """
            SELECT e.name, s.fingerprint, s.entity_tag, s.last_modified, s.consecutive_failures,
                s.consecutive_successes, s.failed_since, s.is_failing, s.last_change,
                s.poll_at, s.poll_duration, s.poll_status, s.poll_failure,
                n.id, b.digest, n.content_type, n.taken_at, s.reminded_at,
                s.certificate_told_at, s.recent_failures, s.poll_attempts, s.failures
            FROM state s JOIN endpoint e ON e.id = s.endpoint
                LEFT JOIN snapshot n
                    ON n.id = (SELECT max(id) FROM snapshot WHERE endpoint = s.endpoint)
                LEFT JOIN body b ON b.id = n.body
            """
        ) { row throws(StoreError) in (try self.name(row, 0), try self.state(row)) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Statistics of each endpoint, from the hour that holds `start` on.
    func statistics(since start: Timestamp) throws(StoreError) -> [EndpointName: PollStatistics] {
        let rows = try all(
            """
            SELECT e.name, h.polls, h.failures, h.latency
            FROM hour h JOIN endpoint e ON e.id = h.endpoint WHERE h.hour >= ?
            """, .integer(start.hour)
        ) { row throws(StoreError) in (try self.name(row, 0), self.statistics(row, from: 1)) }
        return Dictionary(rows) { first, second in
            var sum = first
            sum.merge(second)
            return sum
        }
    }

    /// The statistics in three columns from `column` on: polls, failures, latency.
    ///
    /// A damaged histogram counts as an empty one: an error would keep the state of every endpoint
    /// from being written for the sake of an hour's latencies.
    func statistics(_ row: borrowing Row, from column: Int32) -> PollStatistics {
        var statistics = PollStatistics()
        statistics.polls = row.count(column)
        statistics.failures = row.count(column + 1)
        statistics.latency = LatencyHistogram(encoded: row.blob(column + 2) ?? []) ?? .init()
        return statistics
    }

    /// The number of changes from `start` on; first snapshots are none.
    func changeCount(since start: Timestamp) throws(StoreError) -> Int {
        // Asked each second: answered by the index alone.
        let count = try first(
            "SELECT count(*) FROM snapshot WHERE taken_at >= ? AND previous IS NOT NULL",
            .integer(start.microseconds)
        ) { row throws(StoreError) in row.integer(0) }
        return Int(count ?? 0)
    }

    /// Changes that were never marked as reported, oldest first.
    func unreportedChanges() throws(StoreError) -> [StoredChange] {
        try all(Self.changes + "WHERE c.reported = 0 ORDER BY c.id") {
            row throws(StoreError) in try self.change(row)
        }
    }

    /// The names of all endpoints, in order.
    func names() throws(StoreError) -> [EndpointName] {
        try all("SELECT name FROM endpoint ORDER BY name") { row throws(StoreError) in
            try self.name(row, 0)
        }
    }

    /// The last changes of an endpoint with numbers below `number`, newest first.
    func changes(
        of name: EndpointName, limit: Int, before number: Int64?
    ) throws(StoreError) -> [StoredChange] {
        try all(
            Self.changes + "WHERE e.name = ? AND s.id < ? ORDER BY s.id DESC LIMIT ?",
            .text(name.rawValue), .integer(number ?? .max), .integer(limit)
        ) { row throws(StoreError) in try self.change(row) }
    }

    /// The newest snapshot of each body of an endpoint whose digest begins with `prefix`.
    func snapshots(
        of name: EndpointName, digestPrefix prefix: String, limit: Int
    ) throws(StoreError) -> [Snapshot] {
        // With max(), the other columns are those of the row that has it:
        // https://sqlite.org/lang_select.html#bare_columns_in_an_aggregate_query
        try all(
            """
            SELECT max(s.id), b.digest, s.content_type, s.taken_at
            FROM snapshot s JOIN endpoint e ON e.id = s.endpoint JOIN body b ON b.id = s.body
            WHERE e.name = ? AND substr(hex(b.digest), 1, ?) = ?
            GROUP BY s.body ORDER BY 1 DESC LIMIT ?
            """,
            .text(name.rawValue), .integer(prefix.utf8.count), .text(prefix.uppercased()),
            .integer(limit)
        ) { row throws(StoreError) in try self.snapshot(row, from: 0) }.compactMap(\.self)
    }

    /// The change of an endpoint with this number; nil if there is none.
    func change(_ id: Int64, of name: EndpointName) throws(StoreError) -> StoredChange? {
        try first(
            Self.changes + "WHERE c.id = ? AND e.name = ?", .integer(id), .text(name.rawValue)
        ) { row throws(StoreError) in try self.change(row) }
    }

    private static let changes = """
        SELECT c.id, e.name, c.kind, c.event, c.added, c.removed, c.updated, c.moved, c.lines,
            c.further_lines, c.patch, c.patch_truncated, c.remarks, c.poll_at, c.poll_duration,
            c.poll_status, p.digest, s.id, b.digest, s.content_type, s.taken_at,
            c.poll_attempts
        FROM change c JOIN snapshot s ON s.id = c.id JOIN endpoint e ON e.id = s.endpoint
            JOIN body b ON b.id = s.body
            LEFT JOIN snapshot o ON o.id = s.previous LEFT JOIN body p ON p.id = o.body

        """
}

// MARK: - Rows to values

extension Database {
    /// A snapshot in four columns from `column` on: id, digest, content type, time; nil for NULL.
    func snapshot(_ row: borrowing Row, from column: Int32) throws(StoreError) -> Snapshot? {
        guard let id = row.integer(column) else { return nil }
        guard let digest = row.blob(column + 1).flatMap({ ContentDigest(bytes: $0) }) else {
            throw unreadable("a digest")
        }
        return Snapshot(
            id: id, digest: digest, contentType: row.text(column + 2),
            takenAt: Timestamp(microseconds: row.integer(column + 3) ?? 0))
    }

    private func name(_ row: borrowing Row, _ column: Int32) throws(StoreError) -> EndpointName {
        guard let name = row.text(column).flatMap({ EndpointName(rawValue: $0) }) else {
            throw unreadable("an endpoint's name")
        }
        return name
    }

    private func state(_ row: borrowing Row) throws(StoreError) -> EndpointState {
        var state = EndpointState()
        if let fingerprint = row.text(1) {
            state.validators = EndpointState.KeptValidators(
                validators: Validators(entityTag: row.text(2), lastModified: row.text(3)),
                fingerprint: fingerprint)
        }
        state.alert.consecutiveFailures = row.count(4)
        state.alert.consecutiveSuccesses = row.count(5)
        state.alert.failedSince = row.integer(6).map { Timestamp(microseconds: $0) }
        state.alert.isFailing = row.integer(7) == 1
        state.alert.remindedAt = row.integer(17).map { Timestamp(microseconds: $0) }
        state.certificate.toldAt = row.integer(18).map { Timestamp(microseconds: $0) }
        state.alert.recentFailures = UInt64(bitPattern: row.integer(19) ?? 0)
        state.alert.failures = row.count(21)
        state.lastChange = row.integer(8).map { Timestamp(microseconds: $0) }
        state.lastPoll = poll(row, from: 9, failure: row.text(12), attempts: row.integer(20))
        state.snapshot = try snapshot(row, from: 13)
        return state
    }

    private func change(_ row: borrowing Row) throws(StoreError) -> StoredChange {
        guard let kind = row.text(2).flatMap({ NewChange.Kind(rawValue: $0) }),
            let snapshot = try snapshot(row, from: 17)
        else { throw unreadable("a change") }
        var summary = ChangeSummary()
        summary.added = row.count(4)
        summary.removed = row.count(5)
        summary.updated = row.count(6)
        summary.moved = row.count(7)
        summary.lines = StoredLines.decode(row.text(8) ?? "")
        summary.furtherLines = row.count(9)
        summary.patch = row.text(10)
        summary.isPatchTruncated = row.integer(11) == 1
        summary.remarks = StoredLines.decode(row.text(12) ?? "")
        return StoredChange(
            id: snapshot.id, name: try name(row, 1), kind: kind, event: row.text(3) ?? "",
            snapshot: snapshot, previousDigest: row.blob(16).flatMap { ContentDigest(bytes: $0) },
            summary: summary,
            poll: poll(row, from: 13, failure: nil, attempts: row.integer(21)))
    }

    /// The outcome of a poll in three columns from `column` on: time, duration, status.
    private func poll(
        _ row: borrowing Row, from column: Int32, failure: String?, attempts: Int64?
    ) -> EndpointState.LastPoll? {
        guard let at = row.integer(column) else { return nil }
        return EndpointState.LastPoll(
            at: Timestamp(microseconds: at),
            duration: .microseconds(row.integer(column + 1) ?? 0),
            status: row.integer(column + 2).map { Int($0) }, failure: failure,
            attempts: attempts.map { Int($0) })
    }

    private func unreadable(_ what: String) -> StoreError {
        .corrupt(path, detail: "\(what) can't be read")
    }
}
