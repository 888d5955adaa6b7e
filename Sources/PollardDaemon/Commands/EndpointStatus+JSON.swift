// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import PollardCore
internal import PollardStore

/// What `pollard status --json` prints of an endpoint: one object a line.
///
/// Times are RFC 3339 in UTC, durations in microseconds; what is not known is left out.
struct EndpointStatusJSON: Encodable {
    var endpoint: String
    var state: String
    var lastPoll: String?
    var lastStatus: Int?
    var lastError: String?
    var lastDurationUsec: Int64?
    var lastChange: String?
    var snapshot: String?
    var consecutiveFailures: Int
    var failedSince: String?
    /// Of the last 24 hours, as the percentiles are.
    var polls: Int
    var failures: Int
    var p50Usec: Int64?
    var p95Usec: Int64?
    var nextPoll: String?

    init(_ status: EndpointStatus) {
        let state = status.state
        endpoint = status.name.rawValue
        self.state = status.condition.rawValue
        lastPoll = state.lastPoll?.at.rfc3339()
        lastStatus = state.lastPoll?.status
        lastError = state.lastPoll?.failure
        lastDurationUsec = state.lastPoll?.duration.wholeMicroseconds
        lastChange = state.lastChange?.rfc3339()
        snapshot = state.snapshot?.digest.description
        consecutiveFailures = state.alert.consecutiveFailures
        failedSince = state.alert.failedSince?.rfc3339()
        polls = status.statistics.polls
        failures = status.statistics.failures
        p50Usec = status.statistics.latency.quantile(0.5)?.wholeMicroseconds
        p95Usec = status.statistics.latency.quantile(0.95)?.wholeMicroseconds
        nextPoll = status.next?.rfc3339()
    }

    /// The object on one line.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
