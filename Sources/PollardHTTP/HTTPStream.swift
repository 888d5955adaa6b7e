// SPDX-License-Identifier: Apache-2.0

/// An answer whose content is read while it comes: the head first, then pieces as they arrive.
///
/// The server has to wait while nobody reads: at most 256 KiB are kept. The connection is freed
/// when the content ends, when the stream and its iterator are gone, or the reading task is
/// cancelled. The content can be read once.
///
/// ```swift
/// let stream = try await transport.stream(HTTPRequest(url: "https://example.org/log"))
/// print(stream.head.status)
/// for try await piece in stream { print(piece.count) }
/// ```
public struct HTTPStream: AsyncSequence, Sendable {
    /// Some bytes of the content, decompressed; never none.
    public typealias Element = [UInt8]
    /// Why there is no more content.
    public typealias Failure = NetworkError

    /// The answer without its content; its timing ends with the head.
    public internal(set) var head: HTTPResponse
    private let source: Source

    private enum Source: Sendable {
        case whole([UInt8])
        case lease(StreamLease, Origin, maximum: Int)
    }

    /// Makes a stream of an answer that is there as a whole, as a stub for tests does.
    public init(_ response: HTTPResponse) {
        source = .whole(response.body)
        var head = response
        head.body = []
        self.head = head
    }

    /// Makes a stream of what `lease` is a claim on.
    init(_ head: HTTPResponse, _ lease: StreamLease, from origin: Origin, maximum: Int) {
        self.head = head
        source = .lease(lease, origin, maximum: maximum)
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .whole(let bytes): Iterator(state: .whole(bytes))
        case .lease(let lease, let origin, let maximum):
            Iterator(
                state: StreamReader(
                    lease, codings: head.fields[values: "Content-Encoding"], from: origin,
                    maximum: maximum
                ).map { .reading($0) } ?? .taken)
        }
    }

    /// Reads the content piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum State {
            case whole([UInt8])
            case reading(StreamReader)
            case taken
            case ended
        }

        fileprivate var state: State

        /// The next piece; nil at the end.
        ///
        /// - Throws: `NetworkError` if the content does not come to its end: `timeout`,
        ///   `connectionLost`, `bodyTooLarge` and so on; `cancelled` soon after the task is; and
        ///   `invalidRequest` if the content was read before.
        public mutating func next() async throws(NetworkError) -> [UInt8]? {
            switch state {
            case .whole(let bytes):
                state = .ended
                return bytes.isEmpty ? nil : bytes
            case .reading(var reader):
                state = .ended
                guard let piece = try await reader.next() else { return nil }
                state = .reading(reader)
                return piece
            case .taken:
                state = .ended
                throw NetworkError(.invalidRequest, "the content of a stream can be read once")
            case .ended: return nil
            }
        }

        /// The next piece; nil at the end.
        ///
        /// - Throws: As `next()`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> [UInt8]? {
            try await next()
        }
    }
}
