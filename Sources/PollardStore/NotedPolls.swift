// SPDX-License-Identifier: Apache-2.0

internal import PollardCore

/// What the next flush writes, merged: bounded by the number of endpoints, not of polls.
struct NotedPolls: Sendable {
    /// The number of hours that are kept while the store can't be written; the oldest goes first.
    ///
    /// Two days: longer than any statistics that are shown look back.
    static let maximumHours = 48

    /// The last state of each endpoint.
    private(set) var states: [EndpointName: EndpointState] = [:]
    /// Statistics by hour since 1970.
    private(set) var hours: [Int64: [EndpointName: PollStatistics]] = [:]
    /// Changes that were reported and could not be marked so.
    private(set) var reported: Set<Int64> = []

    var isEmpty: Bool { states.isEmpty && hours.isEmpty && reported.isEmpty }

    /// Keeps the mark of a change for the next flush.
    mutating func note(reported id: Int64) { reported.insert(id) }

    /// Keeps the state of `poll`, and counts it.
    mutating func note(_ poll: NotedPoll) {
        states[poll.name] = poll.state
        hours[poll.at.hour, default: [:]][poll.name, default: PollStatistics()].record(poll)
        dropOldHours()
    }

    /// Keeps the state of an endpoint that was noted otherwise by its last poll.
    mutating func note(_ state: EndpointState, of name: EndpointName) { states[name] = state }

    /// Drops a state that was stored in a newer form; what was counted is kept.
    mutating func forgetState(of name: EndpointName) { states[name] = nil }

    /// Gives all that is kept, to be written.
    mutating func take() -> NotedPolls {
        let all = self
        self = NotedPolls()
        return all
    }

    /// Takes back what could not be written; states noted meanwhile are newer and win.
    mutating func restore(_ older: NotedPolls) {
        states.merge(older.states) { newer, _ in newer }
        reported.formUnion(older.reported)
        for (hour, endpoints) in older.hours {
            hours[hour, default: [:]].merge(endpoints) { newer, older in
                var sum = older
                sum.merge(newer)
                return sum
            }
        }
        dropOldHours()
    }

    private mutating func dropOldHours() {
        while hours.count > Self.maximumHours, let oldest = hours.keys.min() {
            hours[oldest] = nil
        }
    }
}
