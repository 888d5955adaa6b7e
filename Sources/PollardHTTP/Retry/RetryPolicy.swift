// SPDX-License-Identifier: Apache-2.0

/// When a request that failed is sent again: a value that decides, and does nothing by itself.
///
/// The delay before an attempt is drawn evenly from zero to a bound that doubles each time (full
/// jitter), so that clients that failed together don't come back together. With the defaults:
///
/// | before attempt | bound |
/// |---|---|
/// | 2 | 500 ms |
/// | 3 | 1 s |
/// | 4 | 2 s |
/// | 5 | 4 s |
/// | 8 | 30 s (`maximum`) |
///
/// A `Retry-After` field (RFC 9110, 10.2.3), in seconds or as a date, is honoured: the delay is at
/// least that long. If it is longer than `maximumRetryAfter`, the request is not sent again, since
/// the server has said that it would be in vain.
public struct RetryPolicy: Sendable, Hashable {
    /// All attempts, the first included; 3 by default, 1 never retries.
    public var attempts: Int
    /// The bound of the first delay; 500 ms by default.
    public var initial: Duration
    /// The highest bound; 30 s by default.
    public var maximum: Duration
    /// Whether methods that are not idempotent, as POST and PATCH, are sent again too; no by
    /// default, since the server may have done what it did not confirm (RFC 9110, 9.2.2).
    public var retriesUnsafeMethods: Bool
    /// The longest `Retry-After` that is waited for; 60 s by default.
    public var maximumRetryAfter = Duration.seconds(60)
    /// The status codes after which a request is sent again.
    public var statuses = RetryPolicy.defaultStatuses
    /// The failures after which a request is sent again.
    public var codes = RetryPolicy.defaultCodes

    /// Makes a policy.
    public init(
        attempts: Int = 3, initial: Duration = .milliseconds(500),
        maximum: Duration = .seconds(30), retriesUnsafeMethods: Bool = false
    ) {
        self.attempts = attempts
        self.initial = initial
        self.maximum = maximum
        self.retriesUnsafeMethods = retriesUnsafeMethods
    }

    /// Every request is sent once.
    public static let never = RetryPolicy(attempts: 1)

    /// Request Timeout, Too Many Requests, and the server errors that may pass by themselves.
    public static let defaultStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// What the next attempt may not meet; a wrong certificate or a malformed answer it would.
    public static let defaultCodes: Set<NetworkError.Code> = [
        .nameLookup, .connect, .connectionLost, .timeout,
    ]

    /// What to do after an attempt.
    public enum Decision: Sendable, Hashable {
        /// The outcome stands.
        case stop
        /// Send the request again after a delay.
        case retry(after: Duration)
    }

    /// Decides what to do after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: The answer, whatever its status, or the failure.
    ///   - method: The method of the request.
    ///   - attempt: The number of the attempt that had this outcome, counted from 1.
    ///   - now: Seconds since 1970, for `Retry-After` with a date.
    ///   - generator: The source of the jitter.
    /// - Returns: Whether to send the request again, and when.
    public func decision(
        after outcome: Result<HTTPResponse, NetworkError>, to method: HTTPMethod, attempt: Int,
        now: Int64, using generator: inout some RandomNumberGenerator
    ) -> Decision {
        guard attempt < attempts, retriesUnsafeMethods || method.isIdempotent else { return .stop }
        var least = Duration.zero
        switch outcome {
        case .success(let response):
            // The cache's own 504: nothing was sent, and nothing would be.
            guard statuses.contains(response.status), response.cacheOutcome != .refused else {
                return .stop
            }
            least = Self.retryAfter(in: response, now: now) ?? .zero
        case .failure(let error):
            guard codes.contains(error.code) else { return .stop }
        }
        guard least <= maximumRetryAfter else { return .stop }
        let jittered = bound(beforeAttempt: attempt + 1) * Self.fraction(using: &generator)
        return .retry(after: max(least, jittered))
    }

    /// A number from 0 to 1, of 53 bits of one draw.
    ///
    /// `Double.random(in:using:)` may draw again and again; with a generator that a test has made
    /// constant, for ever.
    private static func fraction(using generator: inout some RandomNumberGenerator) -> Double {
        Double(generator.next() >> 11) / Double((1 << 53) - 1)
    }

    /// The longest delay before an attempt; the first attempt is number 1 and has none.
    public func bound(beforeAttempt attempt: Int) -> Duration {
        guard attempt > 1, initial > .zero else { return .zero }
        var (bound, doublings) = (initial, attempt - 2)
        while doublings > 0 && bound < maximum {
            bound *= 2
            doublings -= 1
        }
        return min(bound, maximum)
    }

    /// How long the server asks to wait; nil if it doesn't say, or not in a way that can be read.
    static func retryAfter(in response: HTTPResponse, now: Int64) -> Duration? {
        guard let value = response.fields["Retry-After"] else { return nil }
        if !value.isEmpty && value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number that overflows is longer than any limit.
            return .seconds(Int64(value) ?? Int64(Int32.max))
        }
        return HTTPDate(value, now: now).map { .seconds(max(0, $0.seconds - now)) }
    }
}
