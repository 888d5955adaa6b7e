// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Synchronization

/// Sends requests with libcurl, all on one thread of its own.
///
/// Connections are kept and used again, HTTP/2 shares one among many requests, and compressed
/// content (gzip, deflate, br, zstd) is decompressed. Redirects are followed without showing
/// credentials to another origin. Proxies named in the environment are not used.
///
/// ```swift
/// let transport = try CurlTransport()
/// let response = try await transport.send(HTTPRequest(url: "https://example.org/"))
/// ```
public final class CurlTransport: HTTPTransport {
    private let mailbox: Mailbox
    private let buffers = AnswerBuffers()
    private let urls = ParsedURLs()
    private let thread: Mutex<LoopThread?>

    /// Starts the thread.
    ///
    /// - Parameter configuration: What all requests share.
    /// - Throws: `NetworkError.Code.transport` if libcurl or the system has no resources, and
    ///   `invalidRequest` if the User-Agent field or the connection options can't be used.
    public init(configuration: Configuration = Configuration()) throws(NetworkError) {
        guard !HTTPRequest.holdsControlCharacter(configuration.userAgent) else {
            throw NetworkError(
                .invalidRequest, "the field 'User-Agent' holds a control character")
        }
        try configuration.connection.validate()
        mailbox = try Mailbox()
        thread = Mutex(try LoopThread(CurlLoop(configuration, mailbox, buffers)))
    }

    deinit { close() }

    /// Cancels what is in flight and ends the thread; returns when both is done.
    ///
    /// Done by itself when the last reference goes. A request sent afterwards is cancelled.
    public func close() {
        thread.withLock { thread in
            guard let running = thread.take() else { return }
            mailbox.close()
            running.join()
        }
    }

    /// Puts other limits in force for what begins from now on; requests in flight go on.
    ///
    /// Returns at once; a request that is sent afterwards finds them in force.
    public func update(_ limits: Limits) { mailbox.update(limits) }

    /// Cancels requests that wait for their turn, and from now on each that would have to wait;
    /// those that are sent go on: before an end in good order.
    ///
    /// Returns at once.
    public func endWaiting() { mailbox.endWaiting() }

    /// Whether the thread does its work: for a watchdog.
    ///
    /// - Parameter limit: How long to wait for a sign of life.
    /// - Returns: False if there is none in time, or the transport is closed.
    public func isResponsive(within limit: Duration = .seconds(5)) async -> Bool {
        let question = Question()
        mailbox.ask(question)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await question.wait() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }

    /// Sends `request` once, following redirects, and returns its answer, whatever the status.
    ///
    /// A request above the configured number or rate waits first, without its time limits running.
    /// When the task is cancelled, so is the request, at once.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The complete answer.
    /// - Throws: `NetworkError` if no complete answer was received.
    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let outcome = await outcome(of: try submission(of: request, to: nil))
        var response = try outcome.result.get()
        if let lent = outcome.lent { buffers.copyAndGiveBack(lent, to: &response) }
        return response
    }

    /// Sends `request` once and returns its answer as soon as the head is there.
    ///
    /// While nobody reads, the idle limit of the request rests; the total one does not.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The answer, whose content is read as a sequence.
    /// - Throws: `NetworkError` if no head was received, or it announces content above the limit.
    public func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream {
        let channel = ContentChannel()
        let submission = try submission(of: request, to: channel)
        // From now on, since the caller may be cancelled before it has the stream.
        let lease = StreamLease(channel, submission, of: self)
        let head = try await outcome(of: submission).result.get()
        return HTTPStream(
            head, lease, from: try RequestURL(head.url).origin, maximum: request.maximumBodyBytes)
    }

    private func submission(
        of request: HTTPRequest, to channel: ContentChannel?
    ) throws(NetworkError) -> Submission {
        try request.validate()
        return Submission(request, url: try urls.url(request.url), channel: channel)
    }

    private func outcome(of submission: Submission) async -> Submission.Outcome {
        await withTaskCancellationHandler {
            await submission.outcome(after: mailbox.submit)
        } onCancel: {
            mailbox.cancel(submission)
        }
    }

    /// Ends a request, wherever it is.
    func cancel(_ submission: Submission) { mailbox.cancel(submission) }

    /// Goes on with a request that was paused.
    func goOn(_ submission: Submission) { mailbox.resume(submission) }
}

extension NetworkError {
    /// The task was cancelled.
    static var taskCancelled: NetworkError {
        NetworkError(.cancelled, "the request was cancelled")
    }

    /// There is no more waiting: the transport is about to be closed.
    static var waitEnded: NetworkError {
        NetworkError(.cancelled, "the request was cancelled before it was sent")
    }

    /// The transport was closed while the request was in flight, or before.
    static var closed: NetworkError { NetworkError(.cancelled, "the transport is closed") }
}
