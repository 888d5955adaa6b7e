// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// An HTTP/1.1 server on loopback that answers as a test says, well or badly.
///
/// ```swift
/// let server = try LoopbackServer { request in
///     request.number == 1 ? .status(503, ["Retry-After": "0"]) : .json(#"{"price": 12}"#)
/// }
/// defer { server.stop() }
/// let answer = try await client.send(HTTPRequest(url: server.url("/items")))
/// #expect(server.requests.map(\.target) == ["/items", "/items"])
/// ```
///
/// Each connection has a thread of its own, so that one that hangs holds up no other. A connection
/// is kept open between requests unless the request, the reply or one of its steps says otherwise.
package final class LoopbackServer: Sendable {
    /// Decides the reply to a request; called on the connection's thread, for several at a time.
    package typealias Handler = @Sendable (Request) -> Reply

    /// What the server saw up to now.
    package struct Record: Sendable {
        /// Every complete request in the order in which they were received.
        package var requests: [Request] = []
        /// Connections accepted since the start.
        package var connectionCount = 0
        /// Connections that neither side has closed.
        package var openConnectionCount = 0
        /// Bytes that the kernel took, over all connections.
        package var sentByteCount = 0
    }

    /// The port, which the kernel chose unless one was asked for.
    package let port: UInt16
    /// The address and port as a URL has them: `127.0.0.1:4711` or `[::1]:4711`.
    package let authority: String
    private let listener: LoopbackListener

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - address: What to listen on.
    ///   - port: The port; 0 for one that is free.
    ///   - greeting: Steps done on each new connection before a request is read; a server that
    ///     talks first, or resets at once.
    ///   - takesExpectations: Whether to ask for content that waits for that (`Expect`), or to
    ///     answer with 417; such a request is not recorded.
    ///   - handler: Decides the reply to each request.
    /// - Throws: `SystemCallError` if the address, a port or a thread is not to be had.
    package init(
        on address: LoopbackAddress = .ipv4, port: UInt16 = 0, greeting: Reply = [],
        takesExpectations: Bool = true, handler: @escaping Handler
    ) throws {
        listener = try LoopbackListener(
            on: address, port: port, greeting: greeting, takesExpectations: takesExpectations,
            handler: handler)
        self.port = listener.socket.port
        authority = address == .ipv4 ? "127.0.0.1:\(self.port)" : "[::1]:\(self.port)"
        try listener.start()
    }

    /// Starts a server that gives these replies in turn, and the last one from then on.
    ///
    /// - Throws: `SystemCallError` if the address, a port or a thread is not to be had.
    package convenience init(
        on address: LoopbackAddress = .ipv4, replies first: Reply, _ rest: Reply...
    ) throws {
        let replies = [first] + rest
        try self.init(on: address) { replies[min($0.number, replies.count) - 1] }
    }

    deinit { stop() }

    /// The absolute URL of `target`, which begins with a slash.
    package func url(_ target: String = "/") -> String { "http://\(authority)\(target)" }

    /// Ends every connection, also those that hang, and returns when all are closed.
    package func stop() { listener.stop() }

    /// Every complete request up to now, in order.
    package var requests: [Request] { listener.record.value.requests }

    /// Connections accepted up to now.
    package var connectionCount: Int { listener.record.value.connectionCount }

    /// Waits until a client no longer takes what the server sends: nothing was sent for a while.
    ///
    /// - Returns: The bytes sent by then.
    /// - Throws: `TimedOut`, or `CancellationError` if the task is cancelled.
    package func waitForStall() async throws -> Int {
        var (last, rounds) = (0, 0)
        try await waitUntil("the server to stall", timeout: testPatience * 2) {
            let sent = listener.record.value.sentByteCount
            rounds = sent > 0 && sent == last ? rounds + 1 : 0
            last = sent
            return rounds == 40
        }
        return last
    }

    /// Waits for a request.
    ///
    /// - Parameters:
    ///   - number: Which, counted from 1.
    ///   - timeout: How long.
    /// - Returns: That request, complete with its body.
    /// - Throws: `TimedOut`, or `CancellationError` if the task is cancelled.
    @discardableResult
    package func waitForRequest(
        _ number: Int = 1, timeout: Duration = testPatience
    ) async throws -> Request {
        try await wait(for: "request \(number)", timeout: timeout) { $0.requests.count >= number }
            .requests[number - 1]
    }

    /// Waits until no connection is open: the client has closed all of its own.
    ///
    /// - Throws: `TimedOut`, or `CancellationError` if the task is cancelled.
    package func waitForDisconnection(timeout: Duration = testPatience) async throws {
        try await wait(for: "no open connection", timeout: timeout) { $0.openConnectionCount == 0 }
    }

    /// Waits until what the server saw meets a condition.
    ///
    /// - Returns: What it had seen when the condition was met.
    /// - Throws: `TimedOut`, or `CancellationError` if the task is cancelled.
    @discardableResult
    package func wait(
        for what: String, timeout: Duration = testPatience,
        until isMet: @escaping @Sendable (Record) -> Bool
    ) async throws -> Record {
        try await listener.record.wait(for: what, timeout: timeout, until: isMet)
    }
}
