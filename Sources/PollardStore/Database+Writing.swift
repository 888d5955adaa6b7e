// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// What only the daemon writes; each within a transaction of the caller.
extension Database {
    /// The number of an endpoint, which is added if it is not there.
    func endpointID(_ name: EndpointName) throws(StoreError) -> Int64 {
        let known = try first(
            "SELECT id FROM endpoint WHERE name = ?", .text(name.rawValue)
        ) { row throws(StoreError) in row.integer(0) }
        if let known { return known }
        try run("INSERT INTO endpoint (name) VALUES (?)", .text(name.rawValue))
        return lastInsertedID
    }

    /// The number of an endpoint's last snapshot; nil if it has none.
    func lastSnapshot(of endpoint: Int64) throws(StoreError) -> Int64? {
        try first(
            "SELECT max(id) FROM snapshot WHERE endpoint = ?", .integer(endpoint)
        ) { row throws(StoreError) in row.integer(0) }
    }

    /// Adds the snapshot that `change` leads to.
    ///
    /// - Returns: Its number, higher than any before.
    func insertSnapshot(
        of change: NewChange, endpoint: Int64, body: Int64, previous: Int64?
    ) throws(StoreError) -> Int64 {
        try run(
            """
            INSERT INTO snapshot (endpoint, body, previous, content_type, taken_at)
            VALUES (?, ?, ?, ?, ?)
            """,
            .integer(endpoint), .integer(body), .integer(previous),
            .text(change.contentType), .integer(change.takenAt.microseconds))
        return lastInsertedID
    }

    /// Adds the change that led to the snapshot with number `id`, not yet reported.
    func insert(_ change: NewChange, id: Int64) throws(StoreError) {
        let summary = change.summary
        let poll = change.state.lastPoll
        try run(
            """
            INSERT INTO change (id, event, kind, added, removed, updated, moved, lines,
                further_lines, patch, patch_truncated, remarks, poll_at, poll_duration,
                poll_status, poll_attempts, reported)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
            """,
            .integer(id), .text(change.event),
            .text(change.kind.rawValue), .integer(summary.added), .integer(summary.removed),
            .integer(summary.updated), .integer(summary.moved),
            .text(StoredLines.encode(summary.lines)), .integer(summary.furtherLines),
            .text(summary.patch), .flag(summary.isPatchTruncated),
            .text(StoredLines.encode(summary.remarks)), .integer(poll?.at.microseconds),
            .integer(poll?.duration.wholeMicroseconds), .integer(poll?.status.map { Int64($0) }),
            .integer(poll?.attempts.map { Int64($0) }))
    }

    /// Marks the change with number `id` as reported, if it is there.
    func markReported(_ id: Int64) throws(StoreError) {
        try run("UPDATE change SET reported = 1 WHERE id = ?", .integer(id))
    }

    /// Replaces the state of an endpoint; its snapshot is always the last one stored.
    func write(_ state: EndpointState, endpoint: Int64) throws(StoreError) {
        try run(
            """
            INSERT INTO state (endpoint, fingerprint, entity_tag, last_modified,
                consecutive_failures, consecutive_successes, failed_since, is_failing, poll_at,
                poll_duration, poll_status, poll_failure, last_change, reminded_at,
                certificate_told_at, recent_failures, poll_attempts, failures)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (endpoint) DO UPDATE SET (fingerprint, entity_tag, last_modified,
                consecutive_failures, consecutive_successes, failed_since, is_failing, poll_at,
                poll_duration, poll_status, poll_failure, last_change, reminded_at,
                certificate_told_at, recent_failures, poll_attempts, failures)
            = (excluded.fingerprint, excluded.entity_tag, excluded.last_modified,
                excluded.consecutive_failures, excluded.consecutive_successes,
                excluded.failed_since, excluded.is_failing, excluded.poll_at,
                excluded.poll_duration, excluded.poll_status, excluded.poll_failure,
                excluded.last_change, excluded.reminded_at, excluded.certificate_told_at,
                excluded.recent_failures, excluded.poll_attempts, excluded.failures)
            """,
            .integer(endpoint), .text(state.validators?.fingerprint),
            .text(state.validators?.validators.entityTag),
            .text(state.validators?.validators.lastModified),
            .integer(state.alert.consecutiveFailures),
            .integer(state.alert.consecutiveSuccesses),
            .integer(state.alert.failedSince?.microseconds), .flag(state.alert.isFailing),
            .integer(state.lastPoll?.at.microseconds),
            .integer(state.lastPoll?.duration.wholeMicroseconds),
            .integer(state.lastPoll?.status.map { Int64($0) }), .text(state.lastPoll?.failure),
            .integer(state.lastChange?.microseconds),
            .integer(state.alert.remindedAt?.microseconds),
            .integer(state.certificate.toldAt?.microseconds),
            .integer(Int64(bitPattern: state.alert.recentFailures)),
            .integer(state.lastPoll?.attempts.map { Int64($0) }),
            .integer(state.alert.failures))
    }

    /// Adds to the statistics of an endpoint in one hour since 1970.
    func add(
        _ statistics: PollStatistics, endpoint: Int64, hour: Int64
    ) throws(StoreError) {
        var sum = statistics
        let known = try first(
            "SELECT polls, failures, latency FROM hour WHERE endpoint = ? AND hour = ?",
            .integer(endpoint), .integer(hour)
        ) { row throws(StoreError) in self.statistics(row, from: 0) }
        if let known { sum.merge(known) }
        try run(
            "REPLACE INTO hour (endpoint, hour, polls, failures, latency) VALUES (?, ?, ?, ?, ?)",
            .integer(endpoint), .integer(hour), .integer(sum.polls), .integer(sum.failures),
            .blob(sum.latency.encoded))
    }
}
