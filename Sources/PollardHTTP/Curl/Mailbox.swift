// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Hands requests and cancellations to the loop's thread, from any other.
///
/// A continuation is never resumed with the lock held: resuming takes locks of the runtime,
/// which may at the same time be calling `cancel`.
final class Mailbox: Sendable {
    /// What was posted since the last look.
    struct Contents: Sendable {
        /// Requests, oldest first.
        var submissions: [Submission] = []
        /// Requests to give up.
        var cancellations: [Submission] = []
        /// Requests whose content is read again after a pause.
        var resumptions: [Submission] = []
        /// Questions whether the loop is alive.
        var questions: [Question] = []
        /// Limits to put in force before anything else.
        var limits: CurlTransport.Limits?
        /// Whether no request may wait for its turn any more.
        var endsWaiting = false
        /// Whether the loop is to end.
        var isClosed = false

        /// Whether there is nothing to do.
        var isEmpty: Bool {
            submissions.isEmpty && cancellations.isEmpty && resumptions.isEmpty
                && questions.isEmpty && limits == nil && !endsWaiting && !isClosed
        }
    }

    private struct State: Sendable {
        var contents = Contents()
        /// Whether the thread sleeps, or is about to: only then is it woken, by one system call.
        var isSleeping = false
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Readable when there is something in the box for a sleeping thread.
    let waker: Waker

    /// Makes an empty mailbox.
    ///
    /// - Throws: `NetworkError.Code.transport` without a descriptor for the waker.
    init() throws(NetworkError) { waker = try Waker() }

    /// Posts a request.
    ///
    /// - Returns: False if the loop was closed: then nobody will answer.
    func submit(_ submission: Submission) -> Bool {
        post { state in
            guard !state.isClosed else { return false }
            state.contents.submissions.append(submission)
            return true
        }
    }

    /// Asks to give up a request; one that has ended, or is not yet posted, is no mistake.
    func cancel(_ submission: Submission) {
        submission.isCancelled.store(true, ordering: .releasing)
        _ = post { state in
            guard !state.isClosed else { return false }
            state.contents.cancellations.append(submission)
            return true
        }
    }

    /// Asks to go on with a request that was paused; one that has ended is no mistake.
    func resume(_ submission: Submission) {
        _ = post { state in
            guard !state.isClosed else { return false }
            state.contents.resumptions.append(submission)
            return true
        }
    }

    /// Posts limits; of several, the last hold.
    func update(_ limits: CurlTransport.Limits) {
        _ = post { state in
            guard !state.isClosed else { return false }
            state.contents.limits = limits
            return true
        }
    }

    /// Asks to give up all requests that wait for their turn, now and later.
    func endWaiting() {
        _ = post { state in
            guard !state.isClosed else { return false }
            state.contents.endsWaiting = true
            return true
        }
    }

    /// Asks whether the loop is alive.
    func ask(_ question: Question) {
        let isPosted = post { state in
            guard !state.isClosed else { return false }
            state.contents.questions.append(question)
            return true
        }
        if !isPosted { question.answer(false) }
    }

    /// Asks the loop to end; nothing can be posted afterwards.
    func close() {
        _ = post { state in
            state.isClosed = true
            state.contents.isClosed = true
            return true
        }
    }

    /// Empties the box; if it was empty, the thread counts as sleeping from now on.
    ///
    /// - Parameter contents: Emptied arrays, whose memory is used again.
    func take(into contents: inout Contents) {
        state.withLock { state in
            swap(&state.contents, &contents)
            state.isSleeping = contents.isEmpty
        }
    }

    /// Tells that the thread is awake and will look into the box before it sleeps again.
    func noteAwake() { state.withLock { $0.isSleeping = false } }

    private func post(_ change: (inout State) -> Bool) -> Bool {
        let (isPosted, wakes) = state.withLock { state in
            let isPosted = change(&state)
            let wakes = isPosted && state.isSleeping
            if wakes { state.isSleeping = false }
            return (isPosted, wakes)
        }
        if wakes { waker.wake() }
        return isPosted
    }
}
