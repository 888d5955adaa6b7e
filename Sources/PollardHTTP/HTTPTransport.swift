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
}
