// SPDX-License-Identifier: Apache-2.0

/// Which endpoint is to be polled next, as a state machine: told the time, it answers with actions.
///
/// A tick that finds its predecessor still in flight is skipped and counted, never queued. Ticks
/// that passed while nobody asked (a stopped process, a suspended machine) are one tick, after
/// which the endpoint is back in its phase.
package struct PollQueue: Sendable {
    package enum Action: Sendable, Hashable {
        /// Start a poll that was due `late` nanoseconds ago.
        case poll(EndpointName, late: Int64)
        /// The poll is left out since the one before is still in flight; the `skipped`th since a
        /// poll last fitted its interval.
        case overrun(EndpointName, skipped: Int)

        /// How much later than due a poll starts; nil if none does.
        package var lateness: Duration? {
            if case .poll(_, let late) = self { .nanoseconds(late) } else { nil }
        }
    }

    private struct Entry: Sendable {
        var schedule: PollSchedule
        var skipped = 0
        /// Whether a poll was left out since the last one began.
        var isOverrunning = false
        /// Tells a due time in the heap from those of an earlier insertion.
        var generation: Int
    }

    private struct DueTime: Sendable {
        var at: MonotonicTime
        var name: EndpointName
        var generation: Int
        /// Whether this is a poll out of turn, which no other one follows.
        var isCatchUp = false
    }

    private var entries: [EndpointName: Entry] = [:]
    private var heap = BinaryHeap<DueTime> { $0.at < $1.at }
    private var generation = 0

    package init() {}

    /// The number of endpoints.
    package var count: Int { entries.count }

    /// Polls that were started and have not finished, of removed endpoints too.
    private var started: Set<EndpointName> = []

    /// The number of polls that were started and have not finished.
    package var inFlight: Int { started.count }

    /// When the next tick is due; nil if there is no endpoint.
    package var nextDue: MonotonicTime? { heap.first?.at }

    /// Adds an endpoint, or gives it a new schedule.
    ///
    /// - Parameters:
    ///   - name: The endpoint.
    ///   - schedule: When it is polled.
    ///   - isOverdue: Whether it is to be polled soon, before its turn.
    ///   - now: The time by both clocks, which ties the schedule to the monotonic one.
    package mutating func insert(
        _ name: EndpointName, _ schedule: PollSchedule, isOverdue: Bool = false,
        now: (wall: Timestamp, monotonic: MonotonicTime)
    ) {
        generation += 1
        entries[name] = Entry(schedule: schedule, generation: generation)
        let due = now.monotonic.advanced(by: schedule.next(after: now.wall).since(now.wall))
        heap.insert(DueTime(at: due, name: name, generation: generation))
        guard isOverdue, let delay = schedule.catchUpDelay else { return }
        let catchUp = now.monotonic.advanced(by: delay)
        guard catchUp < due else { return }
        heap.insert(
            DueTime(at: catchUp, name: name, generation: generation, isCatchUp: true))
    }

    /// Removes an endpoint; a poll in flight still has to finish before another one starts.
    package mutating func remove(_ name: EndpointName) { entries[name] = nil }

    /// Notes that a poll of `name` has ended; called once for each `poll` action.
    package mutating func finish(_ name: EndpointName) { started.remove(name) }

    /// The actions that are due at `now`, earliest first.
    package mutating func advance(to now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        while let due = heap.first, due.at <= now {
            heap.removeFirst()
            guard var entry = entries[due.name], entry.generation == due.generation
            else { continue }
            if !started.insert(due.name).inserted {
                entry.skipped += 1
                entry.isOverrunning = true
                actions.append(.overrun(due.name, skipped: entry.skipped))
            } else {
                // Where each poll is slow, that is one trouble, not one for each of them.
                if !entry.isOverrunning { entry.skipped = 0 }
                entry.isOverrunning = false
                actions.append(.poll(due.name, late: now.nanoseconds - due.at.nanoseconds))
            }
            entries[due.name] = entry
            guard !due.isCatchUp else { continue }
            let interval = entry.schedule.interval * 1000
            let missed = (now.nanoseconds - due.at.nanoseconds) / interval
            let next = MonotonicTime(nanoseconds: due.at.nanoseconds + (missed + 1) * interval)
            heap.insert(DueTime(at: next, name: due.name, generation: due.generation))
        }
        return actions
    }
}
