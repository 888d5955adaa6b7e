// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The content of one answer on its way from the loop to the task that reads it.
///
/// Its size is bounded: above `maximumUnread` the transfer is paused, so that the connection's
/// window fills up and the server has to wait.
final class ContentChannel: Sendable {
    /// The most content that is kept before the transfer is paused, in bytes: what a connection of
    /// 100 Mbit/s brings in the 20 ms that a task may wait for a thread.
    static let maximumUnread = 256 << 10
    /// The most that is left to read when a paused transfer goes on, in bytes.
    static let lowUnread = maximumUnread / 2

    /// What a reader gets.
    enum Next: Sendable {
        /// The next piece as it was received.
        case piece([UInt8])
        /// All of it was received.
        case end
        /// There will be no more.
        case failed(NetworkError)
    }

    private struct State: Sendable {
        var pieces = Queue<[UInt8]>()
        var unread = 0
        var isPaused = false
        /// What comes after the pieces; nil while there may be more.
        var ending: Next?
        var reader: CheckedContinuation<Next, Never>?
        var isTaken = false
    }

    private let state = Mutex(State())

    /// Makes a channel without content.
    init() {}

    // MARK: - The loop's side

    /// Whether to pause, since the reader has enough to read; it asks to go on later.
    ///
    /// - Parameter pending: The bytes that will be delivered next.
    /// - Returns: Whether it is enough.
    func pauses(pending: Int) -> Bool {
        state.withLock { state in
            guard state.unread + pending >= Self.maximumUnread else { return false }
            state.isPaused = true
            return true
        }
    }

    /// Hands a piece to the reader.
    func deliver(_ piece: [UInt8]) {
        let reader: CheckedContinuation<Next, Never>? = state.withLock { state in
            guard state.ending == nil else { return nil }
            if let reader = state.reader.take() { return reader }
            state.pieces.append(piece)
            state.unread += piece.count
            return nil
        }
        reader?.resume(returning: .piece(piece))
    }

    /// Says that there is no more content; the first call counts.
    ///
    /// - Parameter error: Why there is none; nil if all of it was delivered.
    func finish(_ error: NetworkError?) {
        let ending = error.map { Next.failed($0) } ?? .end
        let reader: CheckedContinuation<Next, Never>? = state.withLock { state in
            guard state.ending == nil else { return nil }
            state.ending = ending
            return state.reader.take()
        }
        reader?.resume(returning: ending)
    }

    // MARK: - The reader's side

    /// Whether nobody has read before; true once.
    func take() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    /// Whether the loop has no more to do with it.
    var isFinished: Bool { state.withLock { $0.ending != nil } }

    /// Waits for the next piece.
    ///
    /// - Parameter goOn: Called if the transfer was paused and is to go on.
    /// - Returns: The piece, or why there is none.
    func next(goOn: () -> Void) async -> Next {
        await withCheckedContinuation { continuation in
            let (next, isResumed): (Next?, Bool) = state.withLock { state in
                var next = state.pieces.popFirst().map { Next.piece($0) } ?? state.ending
                if case .piece(let piece) = next { state.unread -= piece.count }
                if next == nil {
                    if state.reader == nil { state.reader = continuation } else { next = .busy }
                }
                let isResumed = state.isPaused && state.unread <= Self.lowUnread
                if isResumed { state.isPaused = false }
                return (next, isResumed)
            }
            if isResumed { goOn() }
            if let next { continuation.resume(returning: next) }
        }
    }

    /// Drops what was not read, and ends with `error` unless all was received.
    func abandon(_ error: NetworkError) {
        state.withLock { state in
            state.pieces = Queue()
            state.unread = 0
            if case .end = state.ending { state.ending = .failed(error) }
        }
        finish(error)
    }
}

extension ContentChannel.Next {
    /// Two tasks read at once.
    fileprivate static var busy: Self {
        .failed(
            NetworkError(.invalidRequest, "the content is being read by another task already"))
    }
}
