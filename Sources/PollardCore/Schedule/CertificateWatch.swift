// SPDX-License-Identifier: Apache-2.0

/// When it was last told that a server's certificate expires soon, so that it is told once a day.
package struct CertificateWatch: Sendable, Hashable {
    /// The time between two warnings.
    package static let period = Duration.seconds(86_400)
    /// How much earlier than it is due a warning may be told: polls of one a day start within
    /// milliseconds of their instants, before or after.
    private static let slack = Duration.seconds(1)

    /// When it was last told; nil if the certificate lives long enough.
    package var toldAt: Timestamp?

    package init() {}

    /// Notes the certificate that a poll saw.
    ///
    /// - Parameters:
    ///   - expiry: When the certificate expires; nil for an answer without one.
    ///   - minimum: The life left that is wanted; nil if it is not watched.
    ///   - now: When the poll began.
    /// - Returns: The time left, if it is less than wanted and that is to be told now; negative
    ///   for a certificate that has expired since its handshake.
    package mutating func note(
        expiry: Timestamp?, minimum: Duration?, at now: Timestamp
    ) -> Duration? {
        guard let minimum else {
            toldAt = nil
            return nil
        }
        guard let expiry else { return nil }
        let left = expiry.since(now)
        guard left < minimum else {
            toldAt = nil
            return nil
        }
        if let told = toldAt, (.zero..<Self.period - Self.slack).contains(now.since(told)) {
            return nil
        }
        // After a clock was set back it is told anew: better once too often than days too late.
        toldAt = now
        return left
    }
}
