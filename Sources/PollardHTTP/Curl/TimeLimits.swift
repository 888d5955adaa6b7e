// SPDX-License-Identifier: Apache-2.0

/// When a hop of a request has taken too long: a value, without clock.
///
/// Kept here, exact to the nanosecond: libcurl averages its idle limit over seconds, and may
/// notice the total one only with its next event.
struct TimeLimits: Sendable {
    /// What is left for the content to be complete, in nanoseconds.
    var total: Int64
    /// For the connection to be ready, in nanoseconds.
    var connect: Int64
    /// Between two bytes, in nanoseconds; nil for any time.
    var idle: Int64?

    /// What to do now.
    enum Verdict: Hashable {
        /// A limit is over.
        case passed(NetworkError.Timeout)
        /// None is; look again then.
        case lookAgain(at: Int64)
    }

    /// The limits of a request that has not begun.
    init(_ timeouts: HTTPRequest.Timeouts) {
        total = max(0, timeouts.total.nanoseconds)
        connect = max(0, timeouts.connect.nanoseconds)
        // No limit at all would be a busy loop.
        idle = timeouts.idle.map { max(1_000_000, $0.nanoseconds) }
    }

    /// What is left when earlier hops took so many nanoseconds.
    func after(_ spent: Int64) -> TimeLimits {
        var rest = self
        rest.total = max(0, total - spent)
        return rest
    }

    /// Compares the clock with the limits.
    ///
    /// - Parameters:
    ///   - start: When the hop began.
    ///   - lastActivity: When the last byte came, or the connection was ready; nil before.
    ///   - now: The time now.
    /// - Returns: Which limit passed, or when to look again.
    func verdict(start: Int64, lastActivity: Int64?, now: Int64) -> Verdict {
        let elapsed = now - start
        // Of two equal limits the one that says more.
        let isConnecting = lastActivity == nil && connect <= total
        if elapsed >= total { return .passed(isConnecting ? .connect : .total) }
        var next = start + total
        if let lastActivity {
            if let idle {
                if now - lastActivity >= idle { return .passed(.idle) }
                next = min(next, lastActivity + idle)
            }
        } else {
            if elapsed >= connect { return .passed(.connect) }
            next = min(next, start + connect)
            // The connection may be ready at any time from now on.
            if let idle { next = min(next, now + idle) }
        }
        return .lookAgain(at: next)
    }
}
