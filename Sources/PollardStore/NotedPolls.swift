// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// The polls noted since the last flush, merged: bounded by the number of endpoints, not of polls.
struct NotedPolls: Sendable {
    /// The number of hours that are kept while the store can't be written; the oldest goes first.
    ///
    /// Two days: longer than any statistics that are shown look back.
    static let maximumHours = 48

    /// The last state of each endpoint.
    private(set) var states: [EndpointName: EndpointState] = [:]
    /// Statistics by hour since 1970.
    private(set) var hours: [Int64: [EndpointName: PollStatistics]] = [:]

    var isEmpty: Bool { states.isEmpty && hours.isEmpty }

    /// Keeps the state of `poll`, and counts it.
    mutating func note(_ poll: NotedPoll) {
        states[poll.name] = poll.state
        hours[poll.at.hour, default: [:]][poll.name, default: PollStatistics()].record(poll)
        while hours.count > Self.maximumHours, let oldest = hours.keys.min() {
            hours[oldest] = nil
        }
    }

    /// Drops a state that was stored in a newer form; what was counted is kept.
    mutating func forgetState(of name: EndpointName) { states[name] = nil }
}
