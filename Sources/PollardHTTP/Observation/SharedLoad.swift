// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// One load that any number of tasks wait for; it is cancelled when none of them waits any more.
final class SharedLoad<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, NetworkError>

    private struct State {
        var outcome: Outcome?
        /// Those who have joined; each with its continuation once it is suspended.
        var waiters: [Int: CheckedContinuation<Outcome, Never>?] = [:]
        var lastID = 0
        /// Of no waiter, since each of them may be cancelled without the others.
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Starts the load.
    init(_ load: @escaping @Sendable () async throws(NetworkError) -> Value) {
        state.withLock { state in
            state.task = Task {
                do throws(NetworkError) {
                    self.end(.success(try await load()))
                } catch {
                    self.end(.failure(error))
                }
            }
        }
    }

    /// How it ended; nil while it goes on.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Ends the load: whoever waits gets `NetworkError.Code.cancelled`.
    func cancel() { end(.failure(Self.cancelled)) }

    /// Takes a place among those who wait: from now on the load goes on for it too.
    ///
    /// - Returns: The place, for `wait(as:)`; nil if the load has ended.
    func join() -> Int? {
        state.withLock { state in
            guard state.outcome == nil else { return nil }
            state.lastID += 1
            state.waiters[state.lastID] = .some(nil)
            return state.lastID
        }
    }

    /// Waits for the end.
    ///
    /// - Parameter place: What `join()` gave.
    /// - Returns: How it ended; `NetworkError.Code.cancelled` at once if the waiting task is.
    func wait(as place: Int?) async -> Outcome {
        guard let place else { return outcome ?? .failure(Self.cancelled) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                register(continuation, as: place)
            }
        } onCancel: {
            leave(place)
        }
    }

    private static var cancelled: NetworkError {
        NetworkError(.cancelled, "the load was cancelled")
    }

    private func register(_ continuation: CheckedContinuation<Outcome, Never>, as place: Int) {
        let outcome: Outcome? = state.withLock { state in
            if let outcome = state.outcome { return outcome }
            // `onCancel` may have come before the continuation.
            guard state.waiters[place] != nil else { return .failure(Self.cancelled) }
            state.waiters[place] = continuation
            return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    private func leave(_ place: Int) {
        // Whether it is the last is decided in one step with the end: nobody can join between.
        let (waiter, last) = state.withLock { state in
            guard let waiter = state.waiters.removeValue(forKey: place) else {
                return (nil as CheckedContinuation<Outcome, Never>?, nil as State?)
            }
            let isLast = state.waiters.isEmpty
            return (waiter, isLast ? Self.end(&state, .failure(Self.cancelled)) : nil)
        }
        last?.task?.cancel()
        waiter?.resume(returning: .failure(Self.cancelled))
    }

    private func end(_ outcome: Outcome) {
        let last = state.withLock { state in Self.end(&state, outcome) }
        guard let last else { return }
        last.task?.cancel()
        for waiter in last.waiters.values { waiter?.resume(returning: outcome) }
    }

    /// Does nothing after the first time.
    ///
    /// - Returns: What there was until now.
    private static func end(_ state: inout State, _ outcome: Outcome) -> State? {
        guard state.outcome == nil else { return nil }
        let last = state
        state = State(outcome: outcome, lastID: state.lastID)
        return last
    }
}
