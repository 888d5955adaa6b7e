// SPDX-License-Identifier: Apache-2.0

/// One distinct answer of an endpoint, as the store knows it.
package struct Snapshot: Sendable, Hashable {
    /// The number of a snapshot that waits to be stored; the store counts from 1.
    package static let unstored: Int64 = 0

    /// The store's number for it; later snapshots have higher numbers.
    package var id: Int64
    /// The digest of the raw body.
    package var digest: ContentDigest
    /// The Content-Type that the body came with: needed to understand it again.
    package var contentType: String?
    /// When the poll that gave it was made.
    package var takenAt: Timestamp

    package init(id: Int64, digest: ContentDigest, contentType: String?, takenAt: Timestamp) {
        self.id = id
        self.digest = digest
        self.contentType = contentType
        self.takenAt = takenAt
    }
}

/// What is known of an endpoint between two polls, and kept across restarts.
package struct EndpointState: Sendable, Hashable {
    /// The last snapshot; nil before the first.
    package var snapshot: Snapshot?
    /// Validators of the answer that `snapshot` stands for.
    package var validators: KeptValidators?
    package var alert = AlertState()
    package var certificate = CertificateWatch()
    package var lastPoll: LastPoll?
    /// When the last change was stored.
    package var lastChange: Timestamp?

    package init() {}

    /// Validators, and the configuration under which they mean something.
    package struct KeptValidators: Sendable, Hashable {
        package var validators: Validators
        /// The fingerprint of request, format and rules; under another one they are not sent.
        package var fingerprint: String

        package init(validators: Validators, fingerprint: String) {
            self.validators = validators
            self.fingerprint = fingerprint
        }
    }

    /// The outcome of the last poll.
    package struct LastPoll: Sendable, Hashable {
        package var at: Timestamp
        package var duration: Duration
        package var status: Int?
        /// The failure's message; nil after a good poll.
        package var failure: String?
        /// The number of requests sent; nil if a version that did not keep it made the poll.
        package var attempts: Int?

        package init(
            at: Timestamp, duration: Duration, status: Int?, failure: String?,
            attempts: Int? = nil
        ) {
            self.at = at
            self.duration = duration
            self.status = status
            self.failure = failure
            self.attempts = attempts
        }
    }
}

/// How an endpoint stands with its alert policy.
package struct AlertState: Sendable, Hashable {
    /// The failed polls since the last good one.
    package var consecutiveFailures = 0
    package var consecutiveSuccesses = 0
    /// The outcomes of the last 64 polls, a bit each, the last poll's the lowest: 1 for a failure.
    package var recentFailures: UInt64 = 0
    /// When the first failed poll happened of those that lead to the endpoint's failing; good
    /// polls in between do not end it with `AlertPolicy.within`, or below `AlertPolicy.recover`.
    package var failedSince: Timestamp?
    /// The failed polls from `failedSince` on, good ones in between left out.
    package var failures = 0
    /// Whether the threshold was crossed and told.
    package var isFailing = false
    /// When it was last told that the endpoint is failing; nil if it is not, or if that was told
    /// by a version without reminders.
    package var remindedAt: Timestamp?

    package init() {}
}
