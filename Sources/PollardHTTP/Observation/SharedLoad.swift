// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// One load that any number of tasks wait for; it is cancelled when none of them waits any more.
final class SharedLoad<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, NetworkError>

    private struct State {
        var outcome: Outcome?
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
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

    /// Waits for the end.
    ///
    /// - Returns: How it ended; `NetworkError.Code.cancelled` at once if the waiting task is.
    func wait() async -> Outcome {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                register(continuation, as: id)
            }
        } onCancel: {
            leave(id)
        }
    }

    private static var cancelled: NetworkError {
        NetworkError(.cancelled, "the load was cancelled")
    }

    private func register(_ continuation: CheckedContinuation<Outcome, Never>, as id: Int) {
        let outcome: Outcome? = state.withLock { state in
            if let outcome = state.outcome { return outcome }
            state.waiters[id] = continuation
            return nil
        }
        if let outcome {
            continuation.resume(returning: outcome)
        } else if Task.isCancelled {
            leave(id)  // `onCancel` may have come before the continuation.
        }
    }

    private func leave(_ id: Int) {
        let (waiter, isLast) = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: id)
            return (waiter, waiter != nil && state.waiters.isEmpty)
        }
        if isLast { cancel() }
        waiter?.resume(returning: .failure(Self.cancelled))
    }

    /// Does nothing after the first time.
    private func end(_ outcome: Outcome) {
        let last: State? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            let last = state
            state = State(outcome: outcome, lastID: state.lastID)
            return last
        }
        guard let last else { return }
        last.task?.cancel()
        for waiter in last.waiters.values { waiter.resume(returning: outcome) }
    }
}
