// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// A question to the loop, which is answered by whoever comes first: the loop, or who gives up.
final class Question: Sendable {
    private enum State: Sendable {
        case unasked
        case waiting(CheckedContinuation<Bool, Never>)
        case answered(Bool)
    }

    private let state = Mutex(State.unasked)

    /// Makes a question that nobody waits for yet.
    init() {}

    /// Answers, unless it was answered before.
    func answer(_ answer: Bool) {
        let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
            switch state {
            case .answered: return nil
            case .unasked:
                state = .answered(answer)
                return nil
            case .waiting(let continuation):
                state = .answered(answer)
                return continuation
            }
        }
        waiting?.resume(returning: answer)
    }

    /// Waits for the answer; false if the task is cancelled first.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = state.withLock { state in
                    if case .answered(let answer) = state { return answer }
                    state = .waiting(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            answer(false)
        }
    }
}
