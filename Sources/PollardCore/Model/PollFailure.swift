// SPDX-License-Identifier: Apache-2.0

/// Why a poll gave no snapshot.
package struct PollFailure: Error, Sendable, Equatable {
    /// The journal's `POLLARD_FAILURE`.
    package enum Kind: String, Sendable, CaseIterable {
        case dns, connect, tls, timeout, status, body, extract
    }

    /// How far the poll had come: the journal's `POLLARD_PHASE`.
    package enum Phase: String, Sendable, CaseIterable {
        /// Finding the address of the host.
        case lookup
        case connect
        /// The TLS handshake.
        case tls
        /// From the request to the end of the answer's head.
        case answer
        /// Receiving the content.
        case body
        /// Understanding the content.
        case extract
    }

    package var kind: Kind
    package var phase: Phase
    /// One lower-case clause without secrets, as in `connection refused by 192.0.2.1 port 443`.
    package var message: String
    /// The status code, if an answer was received.
    package var status: Int?
    /// Whether the poll was given up, which says nothing of the endpoint.
    package var isCancelled = false
    /// Whether nothing at all came from the host, as when the network near this machine is down.
    package var isHostSilent = false
    /// The number of requests sent.
    package var attempts = 1
    package var timing = PhaseTiming()
    /// When the server's certificate expires, if an answer was received.
    package var certificateExpiry: Timestamp?

    package init(kind: Kind, message: String, status: Int? = nil) {
        self.kind = kind
        phase = kind.phase
        self.message = message
        self.status = status
    }
}

extension PollFailure.Kind {
    /// The phase in which such a failure happens, unless more is known.
    fileprivate var phase: PollFailure.Phase {
        switch self {
        case .dns: .lookup
        case .connect: .connect
        case .tls: .tls
        case .timeout, .status: .answer
        case .body: .body
        case .extract: .extract
        }
    }
}
