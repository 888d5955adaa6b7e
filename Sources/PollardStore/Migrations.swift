// SPDX-License-Identifier: Apache-2.0

/// The steps that bring a store up to date; each is applied once, in its own transaction.
///
/// Only ever add to the end: stores of every earlier version are out there.
enum Migrations {
    /// The version that this program reads and writes: SQLite's `user_version`.
    static let currentVersion = all.count

    /// Marks the file as a store of pollard: `Pold`, SQLite's `application_id`.
    static let applicationID: Int64 = 0x506f_6c64

    /// The script at index N brings version N to N + 1.
    static let all = [first, reminders, warnings, outages]

    /// Times and durations are microseconds; times count from 1970, UTC.
    ///
    /// A snapshot and its change have the same number. The last snapshot of an endpoint is the one
    /// with the highest number. A body that is no longer kept has no `data`,
    /// but keeps its digest for the history.
    private static let first = """
        CREATE TABLE endpoint (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE body (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- SHA-256 of the body
            size INTEGER NOT NULL,                                   -- bytes of the body
            base INTEGER REFERENCES body (id),   -- the body that is the frame's prefix, if any
            depth INTEGER NOT NULL,              -- bodies to read before this one
            data BLOB                            -- a zstd frame
        ) STRICT;
        CREATE INDEX body_by_base ON body (base) WHERE base IS NOT NULL;

        CREATE TABLE snapshot (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            endpoint INTEGER NOT NULL REFERENCES endpoint (id),
            body INTEGER NOT NULL REFERENCES body (id),
            previous INTEGER,                    -- null for the first; it may be gone
            content_type TEXT,
            taken_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX snapshot_by_endpoint ON snapshot (endpoint);
        CREATE INDEX snapshot_by_body ON snapshot (body);
        CREATE INDEX snapshot_by_time ON snapshot (taken_at, previous) WHERE previous IS NOT NULL;

        CREATE TABLE change (
            id INTEGER PRIMARY KEY REFERENCES snapshot (id),
            event TEXT NOT NULL UNIQUE,          -- 32 hexadecimal digits
            kind TEXT NOT NULL,                  -- first, changed
            added INTEGER NOT NULL,
            removed INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            moved INTEGER NOT NULL,
            lines TEXT NOT NULL,                 -- each ends in a newline
            further_lines INTEGER NOT NULL,
            patch TEXT,
            patch_truncated INTEGER NOT NULL,
            remarks TEXT NOT NULL,               -- each ends in a newline
            poll_at INTEGER,
            poll_duration INTEGER,
            poll_status INTEGER,
            reported INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX change_unreported ON change (id) WHERE reported = 0;

        CREATE TABLE state (
            endpoint INTEGER PRIMARY KEY REFERENCES endpoint (id),
            fingerprint TEXT,                    -- null without validators
            entity_tag TEXT,
            last_modified TEXT,
            consecutive_failures INTEGER NOT NULL,
            consecutive_successes INTEGER NOT NULL,
            failed_since INTEGER,
            is_failing INTEGER NOT NULL,
            poll_at INTEGER,
            poll_duration INTEGER,
            poll_status INTEGER,
            poll_failure TEXT,
            last_change INTEGER
        ) STRICT;

        CREATE TABLE hour (
            endpoint INTEGER NOT NULL REFERENCES endpoint (id),
            hour INTEGER NOT NULL,               -- hours since 1970
            polls INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            latency BLOB NOT NULL,               -- LatencyHistogram.encoded
            PRIMARY KEY (endpoint, hour)
        ) STRICT, WITHOUT ROWID;
        """

    /// When an endpoint was last told to be failing, so that a restart neither repeats nor delays
    /// a reminder; null if it is not failing, or if version 1 told it.
    private static let reminders = """
        ALTER TABLE state ADD COLUMN reminded_at INTEGER;
        """

    /// When it was last told that a certificate expires soon, null if it does not; which of the
    /// last 64 polls failed, a bit each, the last poll's the lowest; and the number of requests of
    /// a poll, null if an earlier version made it.
    private static let warnings = """
        ALTER TABLE state ADD COLUMN certificate_told_at INTEGER;
        ALTER TABLE state ADD COLUMN recent_failures INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE state ADD COLUMN poll_attempts INTEGER;
        ALTER TABLE change ADD COLUMN poll_attempts INTEGER;
        """

    /// The failed polls since `failed_since`; before, `consecutive_failures` held them, with good
    /// polls in between.
    private static let outages = """
        ALTER TABLE state ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        UPDATE state SET failures = consecutive_failures;
        UPDATE state SET consecutive_failures = 0 WHERE consecutive_successes > 0;
        """
}
