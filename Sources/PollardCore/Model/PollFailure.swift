// SPDX-License-Identifier: Apache-2.0

/// Why a poll gave no snapshot.
package struct PollFailure: Error, Sendable, Equatable {
    /// The journal's `POLLARD_FAILURE`.
    package enum Kind: String, Sendable, CaseIterable {
        case dns, connect, tls, timeout, status, body, extract, expect
    }

    package var kind: Kind
    /// One lower-case clause without secrets, as in `connection refused by 192.0.2.1 port 443`.
    package var message: String
    /// The status code, if an answer was received.
    package var status: Int?
    /// The number of requests sent.
    package var attempts = 1
    package var timing = PhaseTiming()

    package init(kind: Kind, message: String, status: Int? = nil) {
        self.kind = kind
        self.message = message
        self.status = status
    }
}
