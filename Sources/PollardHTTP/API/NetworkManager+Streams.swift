// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

extension NetworkManager {
    /// Sends the request of `endpoint`, again if the policy says so, and returns the last answer as
    /// soon as its head is there.
    ///
    /// It goes through the same layers as `response(for:)`; middleware sees the head, without
    /// content. One that answers by itself, or gives content to an answer, is taken at its word.
    ///
    /// - Parameter endpoint: What to request.
    /// - Returns: The answer, whatever its status; the history of its head says how often the
    ///   request was sent.
    /// - Throws: As `response(for:)`.
    public func stream(for endpoint: some Endpoint) async throws(NetworkError) -> HTTPStream {
        // Past the cache, which keeps whole answers.
        let heads = HeadTransport(cachingTransport)
        var client = self
        client.transport = heads
        client.cache = nil
        let response = try await client.response(for: endpoint)
        guard response.body.isEmpty, var stream = heads.takeStream() else {
            return HTTPStream(response)
        }
        stream.head = response
        return stream
    }

    /// Lets go of the stream of an attempt that another follows, which frees its connection before
    /// the wait for that.
    func dropStream() { _ = (transport as? HeadTransport)?.takeStream() }
}

/// Gives the heads of streams as answers, and keeps the last stream.
private final class HeadTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let last = Mutex<HTTPStream?>(nil)

    init(_ transport: any HTTPTransport) { self.transport = transport }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        // Middleware may send again, too.
        _ = takeStream()
        let stream = try await transport.stream(request)
        last.withLock { $0 = stream }
        return stream.head
    }

    func takeStream() -> HTTPStream? { last.withLock { $0.take() } }
}
