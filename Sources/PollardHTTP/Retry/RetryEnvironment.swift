// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// The time and the chance that retrying depends on: the system's, or those of a test.
public struct RetryEnvironment: Sendable {
    /// What delays between attempts are slept on; monotonic by default.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Seconds since 1970, for `Retry-After` with a date.
    public var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    /// Makes the source of the jitter, once for each request.
    public var makeGenerator: @Sendable () -> any RandomNumberGenerator = {
        SystemRandomNumberGenerator()
    }

    /// Makes the system's environment, of which a test sets what it decides itself.
    public init() {}
}
