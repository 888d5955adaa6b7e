// SPDX-License-Identifier: Apache-2.0

package import PollardCore
internal import Synchronization

/// Polls every endpoint by its schedule until it is told to stop.
package final class PollLoop: Sendable {
    /// How long polls in flight may go on after a stop, so that a stop takes about this long at
    /// most.
    package static let grace: Duration = .seconds(5)
    /// An overrun is told at its first skipped poll and then each time that this many followed.
    static let overrunReportStep = 100

    /// The least time between two looks at the queue, and so the most that it makes a poll late.
    ///
    /// What is due meanwhile starts together: one wake-up of the timer, of the pool and of the
    /// transport serves hundreds of polls a second. A tick that follows none for so long is exact.
    static let tickSpacing: Duration = .milliseconds(10)

    /// The figures of the status line.
    package struct Figures: Sendable, Equatable {
        package var endpoints = 0
        package var failing = 0
        /// Within the last minute.
        package var polls = 0
        /// When trouble of the network began; nil if there is none.
        package var networkTroubleSince: Timestamp?
    }

    private struct Watched {
        var endpoint: WatchedEndpoint
        var state: EndpointState
    }

    private struct State {
        var queue = PollQueue()
        var watched: [EndpointName: Watched] = [:]
        var polls = SlidingCount(window: .seconds(60), buckets: 60)
        var lateness = LatenessWatch()

        /// Polls `endpoint` from now on, in the phase that it has already if it has one.
        mutating func apply(
            _ endpoint: WatchedEndpoint, stored: EndpointState?,
            now: (wall: Timestamp, monotonic: MonotonicTime), _ difference: inout ReloadDifference
        ) {
            if let old = watched[endpoint.name] {
                guard old.endpoint.configuration != endpoint.configuration else { return }
                difference.changed += 1
                watched[endpoint.name]?.endpoint = endpoint
                guard old.endpoint.schedule != endpoint.schedule else { return }
            } else {
                difference.added += 1
                watched[endpoint.name] = Watched(
                    endpoint: endpoint, state: stored ?? EndpointState())
            }
            let last = watched[endpoint.name]?.state.lastPoll?.at
            let isOverdue =
                last.map { now.wall.since($0) > endpoint.configuration.interval } ?? true
            queue.insert(endpoint.name, endpoint.schedule, isOverdue: isOverdue, now: now)
        }
    }

    private let pipeline: PollPipeline
    private let isVerbose: Bool
    private let ticker = Ticker(label: "pollard.schedule")
    private let state: Mutex<State>
    private let finished: AsyncStream<Void>
    private let pollFinished: AsyncStream<Void>.Continuation
    private let ticked: AsyncStream<Void>
    private let hasTicked: AsyncStream<Void>.Continuation

    /// Makes a loop; nothing is polled before `run()`.
    ///
    /// - Parameters:
    ///   - endpoints: What is polled; disabled ones are left out.
    ///   - states: What the store knows of them.
    ///   - pipeline: What one poll does.
    ///   - isVerbose: Whether every poll is reported, at debug level.
    package init(
        endpoints: [WatchedEndpoint], states: [EndpointName: EndpointState],
        pipeline: PollPipeline, isVerbose: Bool = false
    ) {
        self.pipeline = pipeline
        self.isVerbose = isVerbose
        (finished, pollFinished) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (ticked, hasTicked) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state = Mutex(State())
        apply(endpoints, states: states)
    }

    /// Polls these endpoints from now on; those that did not change are not disturbed.
    ///
    /// - Parameters:
    ///   - endpoints: What is polled; disabled ones are left out.
    ///   - states: What the store knows of those that were not polled until now.
    /// - Returns: What is different from before.
    @discardableResult
    package func apply(
        _ endpoints: [WatchedEndpoint], states: [EndpointName: EndpointState]
    ) -> ReloadDifference {
        let enabled = endpoints.filter(\.configuration.isEnabled)
        let names = Set(enabled.map(\.name))
        let now = (wall: pipeline.now(), monotonic: Ticker.now())
        let (difference, watched) = state.withLock { state in
            var difference = ReloadDifference()
            for name in state.watched.keys where !names.contains(name) {
                state.watched[name] = nil
                state.queue.remove(name)
                difference.removed.append(name)
            }
            for endpoint in enabled {
                state.apply(endpoint, stored: states[endpoint.name], now: now, &difference)
            }
            ticker.set(to: state.queue.nextDue)
            return (difference, state.watched)
        }
        pipeline.keepHosts(of: watched.values.lazy.map { ($0.endpoint, $0.state) })
        for name in difference.removed { pipeline.forget(name) }
        return difference
    }

    /// Polls until `stop()`, then waits for polls in flight, for `grace` at most.
    package func run() async {
        await withDiscardingTaskGroup { polls in
            for await _ in ticker.ticks {
                for action in dueActions() {
                    switch action {
                    case .poll(let name, let late):
                        polls.addTask { await self.poll(name, late: .nanoseconds(late)) }
                    case .overrun(let name, let skipped): reportOverrun(name, skipped)
                    }
                }
            }
            hasTicked.finish()
            await waitForPollsInFlight()
            polls.cancelAll()
        }
    }

    /// Starts no further poll and lets `run()` return.
    package func stop() { ticker.stop() }

    /// The number of polls in flight.
    package var inFlight: Int { state.withLock { $0.queue.inFlight } }

    /// The figures of this moment.
    package func figures() -> Figures {
        let now = pipeline.now()
        return state.withLock { state in
            Figures(
                endpoints: state.watched.count,
                failing: state.watched.values.count { $0.state.alert.isFailing },
                polls: state.polls.total(at: now),
                networkTroubleSince: pipeline.networkHealth.troubleSince)
        }
    }

    /// Returns once the timer has fired and the queue was looked at, since the last call returned.
    ///
    /// At once after `stop()`, when what is left of the work has an end of its own; also when the
    /// task is cancelled. For one caller at a time.
    func showLife() async {
        // What is due next may be hours away.
        ticker.set(to: Ticker.now())
        for await _ in ticked { return }
    }

    // MARK: - One tick

    private func dueActions() -> [PollQueue.Action] {
        let now = Ticker.now()
        defer { hasTicked.yield() }
        let (actions, late) = state.withLock { state in
            let actions = state.queue.advance(to: now)
            let earliest = now.advanced(by: Self.tickSpacing)
            ticker.set(to: state.queue.nextDue.map { max($0, earliest) })
            return (actions, state.lateness.note(actions.lazy.compactMap(\.lateness), at: now))
        }
        if let late { pipeline.reporter.report(.late(late)) }
        return actions
    }

    private func poll(_ name: EndpointName, late: Duration) async {
        if let watched = state.withLock({ $0.watched[name] }) {
            let result = await pipeline.poll(watched.endpoint, from: watched.state)
            note(result, of: name)
            if isVerbose, let entry = EventEntry.polled(watched.endpoint, result, late: late) {
                pipeline.reporter.report(entry)
            }
            // It was removed meanwhile: what this poll left behind goes too.
            if state.withLock({ $0.watched[name] == nil }) { pipeline.forget(name) }
        }
        state.withLock { $0.queue.finish(name) }
        pollFinished.yield()
    }

    private func note(_ result: PollResult, of name: EndpointName) {
        guard result.outcome != .cancelled else { return }
        let now = pipeline.now()
        state.withLock { state in
            state.watched[name]?.state = result.state
            state.polls.add(at: now)
        }
    }

    private func reportOverrun(_ name: EndpointName, _ skipped: Int) {
        guard skipped % Self.overrunReportStep == 1,
            let endpoint = state.withLock({ $0.watched[name]?.endpoint })
        else { return }
        pipeline.reporter.report(.overrunning(endpoint, skipped: skipped))
    }

    // MARK: - The end

    private func waitForPollsInFlight() async {
        await withTaskGroup { group in
            group.addTask { [finished] in
                guard self.inFlight > 0 else { return }
                for await _ in finished where self.inFlight == 0 { return }
            }
            group.addTask {
                // Cancelled as soon as no poll is in flight.
                do { try await Task.sleep(for: Self.grace) } catch {}
            }
            await group.next()
            group.cancelAll()
        }
    }
}
