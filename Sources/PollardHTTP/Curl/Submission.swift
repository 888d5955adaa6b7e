// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// A request between the task that waits for it and the loop that sends it.
///
/// The task makes it and is the last to let it go: what one thread allocates and another frees
/// makes both wait for malloc's lock.
final class Submission: Sendable {
    /// How a request ended.
    struct Outcome: Sendable {
        /// The answer, or why there is none.
        var result: Result<HTTPResponse, NetworkError>
        /// The content and fields, if they are in buffers to give back; else they are in the answer.
        var lent: AnswerBuffers.Lent?
    }

    /// What to send, with all limits.
    let request: HTTPRequest
    /// Its URL, parsed.
    let url: RequestURL
    /// Where the content goes if it is read while it comes; then the answer has none.
    let channel: ContentChannel?
    /// Set before the cancellation is posted, since it may overtake the request itself.
    let isCancelled = Atomic(false)
    /// Where the loop, which alone uses it, keeps the request; -1 before and after.
    let slot = Atomic(-1)

    private struct State: Sendable {
        var waiting: CheckedContinuation<Void, Never>?
        var outcome: Outcome?
    }

    private let state = Mutex(State())

    /// Makes a request that nobody waits for yet.
    init(_ request: HTTPRequest, url: RequestURL, channel: ContentChannel? = nil) {
        self.request = request
        self.url = url
        self.channel = channel
    }

    /// Waits until the request is settled.
    ///
    /// - Parameter post: Called once to hand it over; false if there is nobody to take it.
    /// - Returns: How it ended.
    func outcome(after post: (Submission) -> Bool) async -> Outcome {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting = continuation }
            guard !post(self) else { return }
            settle(.failure(.closed))
            resume()
        }
        return state.withLock { $0.outcome.take() } ?? Outcome(result: .failure(.closed))
    }

    /// Says how the request ended; its task is told by `resume`.
    func settle(_ result: Result<HTTPResponse, NetworkError>) {
        var outcome = Outcome(result: result)
        if case .success(var response) = result, AnswerBuffers.isLent(response.body) {
            outcome.lent = AnswerBuffers.Lent(body: response.body, fields: response.fields)
            response.body = []
            response.fields = [:]
            outcome.result = .success(response)
        }
        state.withLock { $0.outcome = outcome }
    }

    /// Lets the task go on, once; never with a lock held, since it takes those of the runtime.
    func resume() { state.withLock { $0.waiting.take() }?.resume() }
}
