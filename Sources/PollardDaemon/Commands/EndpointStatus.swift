// SPDX-License-Identifier: Apache-2.0

internal import PollardCore
internal import PollardStore

/// How one endpoint is, from what the store knows and what the configuration plans.
struct EndpointStatus: Sendable, Equatable {
    enum Condition: String {
        case ok
        case failing
        /// Never polled yet.
        case new
        case disabled
    }

    var name: EndpointName
    var condition: Condition
    var state: EndpointState
    var statistics: PollStatistics
    var next: Timestamp?
    /// Whether polls that were due are not in the store.
    var isOverdue: Bool

    /// The intervals without a poll that are nothing to speak of: a poll may overrun its interval.
    private static let toleratedIntervals = 3
    /// The time that a poll may take to be in the store beside that.
    private static let toleratedDelay = Duration.seconds(60)

    /// - Parameters:
    ///   - endpoint: Its configuration.
    ///   - state: What the store knows of it; nil if nothing.
    ///   - statistics: Its polls of the last 24 hours.
    ///   - now: When the next poll is planned after.
    init(
        _ endpoint: EndpointConfiguration, state: EndpointState?, statistics: PollStatistics?,
        now: Timestamp
    ) {
        name = endpoint.name
        self.state = state ?? EndpointState()
        self.statistics = statistics ?? PollStatistics()
        next = endpoint.isEnabled ? endpoint.schedule.next(after: now) : nil
        let tolerated = endpoint.interval * Self.toleratedIntervals + Self.toleratedDelay
        isOverdue =
            endpoint.isEnabled && (state?.lastPoll.map { now.since($0.at) > tolerated } ?? false)
        condition =
            if !endpoint.isEnabled {
                .disabled
            } else if self.state.lastPoll == nil {
                .new
            } else if self.state.alert.isFailing {
                .failing
            } else {
                .ok
            }
    }

    /// Leaves out what only a configuration can say.
    mutating func forgetSchedule() {
        next = nil
        isOverdue = false
    }

    /// The row of the table.
    func row(now: Timestamp) -> [TextTable.Cell] {
        let colour: TextTable.Colour? =
            switch condition {
            case .ok: .green
            case .failing: .red
            case .new, .disabled: .grey
            }
        return [
            .init(name.rawValue), .init(condition.rawValue, colour),
            .init(state.lastPoll.map { $0.at.age(at: now) } ?? "-"),
            .init(state.lastChange.map { $0.age(at: now) } ?? "-"),
            .init(statistics.latency.quantile(0.5)?.humane ?? "-"),
            .init(statistics.latency.quantile(0.95)?.humane ?? "-"),
            .init(next.map { "in \(max(.zero, $0.since(now)).humane)" } ?? "-"),
            .init(answer, state.lastPoll?.failure == nil ? nil : .red),
        ]
    }

    /// The titles of `row(now:)`.
    static let header = [
        "ENDPOINT", "STATE", "LAST POLL", "LAST CHANGE", "P50", "P95", "NEXT POLL", "ANSWER",
    ]

    private var answer: String {
        guard let poll = state.lastPoll else { return "" }
        guard let failure = poll.failure else { return poll.status.map { "\($0)" } ?? "" }
        return failure
    }
}
