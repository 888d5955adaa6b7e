// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// How long tests wait for an event that should come at once, on a machine that may be very busy: it
/// is used up only where a test fails.
package let testPatience = Duration.seconds(120)

/// What a test waited for didn't happen in time.
package struct TimedOut: Error, CustomStringConvertible {
    /// What was waited for, as in `request 2`.
    package let what: String
    /// How long it was waited for.
    package let limit: Duration

    package var description: String { "waited \(limit) for \(what)" }
}

/// A shared value that tasks can await a condition of; without polling.
///
/// ```swift
/// let entries = Watched<[EventEntry]>([])
/// entries.update { $0.append(entry) }                        // any thread
/// try await entries.wait(for: "two entries") { $0.count >= 2 }   // the test
/// ```
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, any Error>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The value now.
    package var value: Value { state.withLock { $0.value } }

    /// Changes the value and resumes whoever waits for what it now is.
    ///
    /// - Parameter change: Called with the lock held; it must not touch this object.
    /// - Returns: What `change` returns.
    @discardableResult
    package func update<Answer: Sendable>(_ change: (inout Value) -> Answer) -> Answer {
        let (answer, value, met) = state.withLock { state in
            let answer = change(&state.value)
            let value = state.value
            let met = state.waiters.filter { $0.value.isMet(value) }
            for id in met.keys { state.waiters[id] = nil }
            return (answer, value, met.values.map(\.continuation))
        }
        for continuation in met { continuation.resume(returning: value) }
        return answer
    }

    /// Waits until the value meets a condition.
    ///
    /// - Parameters:
    ///   - what: What is waited for, said by the error.
    ///   - timeout: How long.
    ///   - isMet: The condition, called with the lock held.
    /// - Returns: The value that met the condition.
    /// - Throws: `TimedOut`, or `CancellationError` if the task is cancelled.
    @discardableResult
    package func wait(
        for what: String, timeout: Duration = testPatience,
        until isMet: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = Task {
            try await Task.sleep(for: timeout)
            self.fail(id, with: TimedOut(what: what, limit: timeout))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                register(Waiter(isMet: isMet, continuation: continuation), as: id)
            }
        } onCancel: {
            fail(id, with: CancellationError())
        }
    }

    private func register(_ waiter: Waiter, as id: Int) {
        let outcome: Result<Value, any Error>? = state.withLock { state in
            if waiter.isMet(state.value) { return .success(state.value) }
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiters[id] = waiter
            return nil
        }
        if let outcome { waiter.continuation.resume(with: outcome) }
    }

    private func fail(_ id: Int, with error: any Error) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation.resume(throwing: error)
    }
}

/// Waits for a condition that has no event, by asking again and again; prefer `Watched`.
///
/// - Parameters:
///   - what: What is waited for, said by the error.
///   - timeout: How long.
///   - isMet: The condition; asked every 5 ms.
/// - Throws: `TimedOut`, `CancellationError`, or what the condition throws.
package func waitUntil(
    _ what: String, timeout: Duration = testPatience, isMet: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + timeout
    while try await !isMet() {
        guard ContinuousClock.now < end else { throw TimedOut(what: what, limit: timeout) }
        try await Task.sleep(for: .milliseconds(5))
    }
}
