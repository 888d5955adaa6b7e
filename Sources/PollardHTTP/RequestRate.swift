// SPDX-License-Identifier: Apache-2.0

/// How many requests may begin within a time, as in ten a second.
public struct RequestRate: Sendable, Hashable {
    /// The number of requests; at least 1.
    public let count: Int
    /// The time within which as many may begin; positive.
    public let period: Duration

    /// Makes a rate; what is below the least value is taken as that.
    ///
    /// - Parameters:
    ///   - count: The number of requests; at least 1.
    ///   - period: The time within which as many may begin; at least 1 ms.
    public init(_ count: Int, per period: Duration) {
        self.count = max(1, count)
        self.period = max(.milliseconds(1), period)
    }
}

/// A rate as it is kept: requests are spaced evenly, without bursts, since servers that limit
/// rates mostly count by parts of the period too (nginx's limit_req refuses the second of two
/// requests that follow each other faster than the rate says).
struct RequestPace: Sendable, Hashable {
    /// The most requests that begin within a `span`: 1, unless that would be too short.
    let size: Int
    /// The time that begins with the first of them, in nanoseconds.
    let span: Int64

    /// The shortest span, in nanoseconds: the loop sleeps in whole milliseconds, and a span is
    /// longer by up to one of them.
    private static let shortestSpan: Int64 = 10_000_000
    /// Above, numbers would no longer fit: requests in a period.
    private static let maximumCount: Int64 = 1_000_000

    /// Makes the pace that keeps `rate`.
    init(_ rate: RequestRate) {
        // Both become smaller together: what is limited is their quotient.
        let excess = max(1, (Int64(rate.count) - 1) / Self.maximumCount + 1)
        let count = Int64(rate.count) / excess
        let period = (rate.period.nanoseconds - 1) / excess + 1
        // Both rounded so that the rate is rather missed than passed.
        let size = max(1, count * Self.shortestSpan / period)
        self.size = Int(size)
        span = (size * period + count - 1) / count
    }
}
