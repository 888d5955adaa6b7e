// SPDX-License-Identifier: Apache-2.0

/// The distinct values of an endpoint that is polled, for as long as they are iterated.
///
/// ```swift
/// let polls = client.values(of: PersonAPI.list(page: 1), as: [Person].self, every: .seconds(30))
/// for await people in polls { show(try people.get()) }
/// ```
///
/// - **Elements** are outcomes that differ from the one before: values by `==`, failures by code
///   and status. A failure does not end the sequence; a loop that is to end throws it, as above.
/// - **Pace**: the first poll is made at once, the others at multiples of the interval after it,
///   without drift. What falls due while a poll or the loop's body takes its time is left out, and
///   made up for by one poll as soon as the loop asks: a slow loop gets the newest value.
/// - **Requests** are made by the loop's own task, never ahead. GET and HEAD have `If-None-Match`
///   once an answer had an `ETag`, unless the endpoint has that field itself; an answer 304 is the
///   value known already (RFC 9110, 13.1.2).
/// - **Ending**: when the task is cancelled, also between and during polls; else never.
public struct PolledValues<Value: Decodable & Equatable & Sendable>: AsyncSequence, Sendable {
    /// A value, or why a poll failed.
    public typealias Element = Result<Value, NetworkError>
    /// Failures are elements.
    public typealias Failure = Never

    let client: any APIClient
    let endpoint: AnyEndpoint
    let pace: PollPace
    let clock: any Clock<Duration>

    /// Makes an iterator with polls of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Polls when it is asked for an element.
    public struct Iterator: AsyncIteratorProtocol {
        private let polls: PolledValues
        private let elapsed: () -> Duration
        /// The time of the next poll since the start.
        private var due = Duration.zero
        private var known: (value: Value, tag: String?)?
        private var last: Element?

        init(_ polls: PolledValues) {
            self.polls = polls
            elapsed = polls.clock.stopwatch()
        }

        /// Polls until an outcome differs from the one before.
        ///
        /// - Returns: That outcome, or nil if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Never) -> Element? {
            while await isDue() {
                let element = await poll()
                due = polls.pace.next(after: due, now: elapsed())
                if Task.isCancelled { return nil }
                if let last, last.isSame(as: element) { continue }
                last = element
                return element
            }
            return nil
        }

        /// Waits for the time of the next poll; false if the task is cancelled.
        private func isDue() async -> Bool {
            let wait = due - elapsed()
            guard wait > .zero else { return !Task.isCancelled }
            do {
                try await polls.clock.sleep(for: wait)
                return true
            } catch {
                return false  // A clock's sleep throws when the task is cancelled.
            }
        }

        private mutating func poll() async -> Element {
            var request = polls.endpoint
            let isConditional = request.mayBeConditional
            if isConditional, let tag = known?.tag { request.headers["If-None-Match"] = tag }
            do throws(NetworkError) {
                let response = try await polls.client.response(of: Value.self, for: request)
                known = (response.value, response.headers["ETag"])
                return .success(response.value)
            } catch {
                if isConditional, error.response?.status == 304, let known {
                    return .success(known.value)
                }
                return .failure(error)
            }
        }
    }
}

extension APIClient {
    /// The distinct values of an endpoint, polled at an interval while they are iterated.
    ///
    /// - Parameters:
    ///   - endpoint: What to request, as it is now, with its own method.
    ///   - type: What its answers are.
    ///   - interval: From the start of one poll to that of the next; at least 1 ms.
    ///   - clock: What the interval is measured with; continuous by default.
    /// - Returns: A sequence that does nothing until it is iterated.
    public func values<Value: Decodable & Equatable & Sendable>(
        of endpoint: some Endpoint, as type: Value.Type = Value.self, every interval: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> PolledValues<Value> {
        PolledValues(
            client: self, endpoint: AnyEndpoint(endpoint), pace: PollPace(interval: interval),
            clock: clock)
    }

    /// The distinct answers to a request, polled at an interval while they are iterated.
    ///
    /// See `values(of:as:every:clock:)`.
    public func values<Value: Decodable & Equatable & Sendable>(
        of request: APIRequest<Value>, every interval: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> PolledValues<Value> {
        values(of: request.endpoint, every: interval, clock: clock)
    }
}

extension AnyEndpoint {
    /// Whether `If-None-Match` can be added; with another method it would mean something else.
    fileprivate var mayBeConditional: Bool {
        (method == .get || method == .head) && headers["If-None-Match"] == nil
    }
}

extension Result where Failure == NetworkError, Success: Equatable {
    /// Whether an observer need not be told of `other` after this.
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.success(let value), .success(let other)): value == other
        case (.failure(let error), .failure(let other)):
            error.code == other.code && error.response?.status == other.response?.status
        default: false
        }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Makes a function that tells how long ago it was made.
    fileprivate func stopwatch() -> () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
