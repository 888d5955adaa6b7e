// SPDX-License-Identifier: Apache-2.0

/// Sends requests and receives answers: libcurl in a program, a stub in a test.
public protocol HTTPTransport: Sendable {
    /// Sends `request` once and returns its answer, whatever the status.
    ///
    /// Ends soon after the task is cancelled, with `NetworkError.Code.cancelled`.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The complete answer.
    /// - Throws: `NetworkError` if no complete answer was received.
    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse

    /// Sends `request` once and returns its answer as soon as the head is there.
    ///
    /// By default, for transports without streams of their own, the complete answer in one piece.
    ///
    /// - Parameter request: What to send; its total time limit includes reading the content.
    /// - Returns: The answer, whose content is read as a sequence.
    /// - Throws: `NetworkError` if no head was received, or it announces content above the limit.
    func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream
}

extension HTTPTransport {
    /// The complete answer in one piece.
    ///
    /// - Throws: As `send(_:)`.
    public func stream(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream {
        HTTPStream(try await send(request))
    }
}
