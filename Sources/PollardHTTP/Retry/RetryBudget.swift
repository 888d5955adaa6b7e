// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// A bound on the share of requests that may be retries, so that an outage is not multiplied.
///
/// Each request earns a share of a retry, and each retry costs a whole one; what is earned is kept
/// up to `reserve`. While a server answers, retries are rare and always allowed. Once everything
/// fails, at most `share` of the requests are sent again, where three attempts each would treble
/// the load on a server that is down already.
///
/// A budget is shared by whoever has it: give one to all clients of a server.
///
/// ```swift
/// client.retryBudget = RetryBudget(share: 0.1)
/// ```
public final class RetryBudget: Sendable {
    /// Whole retries in 1000 parts, so that sums are exact.
    private static let retry = 1000

    private struct State {
        var balance: Int
        var refusedCount = 0
    }

    private let deposit: Int
    private let limit: Int
    private let state: Mutex<State>

    /// Makes a budget that is full.
    ///
    /// - Parameters:
    ///   - share: Retries for each request, from 0 to 1; what is beyond is taken as that.
    ///   - reserve: The most retries that are kept, and those to begin with; at least 1. A client
    ///     that sends few requests would otherwise never have a whole one.
    public init(share: Double = 0.2, reserve: Int = 10) {
        deposit = Int(min(max(share.isNaN ? 0 : share, 0), 1) * Double(Self.retry))
        limit = min(max(reserve, 1), Int.max / Self.retry) * Self.retry
        state = Mutex(State(balance: limit))
    }

    /// The whole retries that are left.
    public var remaining: Int { state.withLock { $0.balance / Self.retry } }

    /// How many retries were refused up to now.
    public var refusedCount: Int { state.withLock { $0.refusedCount } }

    /// Notes a request, which earns its share.
    func noteRequest() {
        state.withLock { $0.balance = min($0.balance + deposit, limit) }
    }

    /// Takes one retry out.
    ///
    /// - Returns: False if there is none left.
    func takeRetry() -> Bool {
        state.withLock { state in
            guard state.balance >= Self.retry else {
                state.refusedCount += 1
                return false
            }
            state.balance -= Self.retry
            return true
        }
    }
}
