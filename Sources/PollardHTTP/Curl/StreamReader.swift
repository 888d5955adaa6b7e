// SPDX-License-Identifier: Apache-2.0
internal import PollardCompression

/// A claim on the rest of an answer: the connection is freed when the last reference goes.
final class StreamLease: Sendable {
    /// Where the content comes from.
    let channel: ContentChannel
    private let submission: Submission
    /// Kept, since a transport that goes away ends its requests.
    private let transport: CurlTransport

    /// Makes the claim on the answer to `submission`, which comes through `channel`.
    init(_ channel: ContentChannel, _ submission: Submission, of transport: CurlTransport) {
        self.channel = channel
        self.submission = submission
        self.transport = transport
    }

    deinit { cancel() }

    /// Waits for the next piece; the task's cancellation ends the transfer.
    func next() async -> ContentChannel.Next {
        await withTaskCancellationHandler {
            await channel.next { transport.goOn(submission) }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the transfer at once, if it has not ended.
    func cancel() {
        if !channel.isFinished { transport.cancel(submission) }
        channel.abandon(.taskCancelled)
    }
}

/// Reads the content of an answer: decompresses it in the reader's task, and keeps its limit.
struct StreamReader {
    /// The size from which a decompressed piece is given out, in bytes.
    static let pieceSize = 64 << 10

    private var lease: StreamLease?
    private var decoding: ContentDecoding?
    private let origin: Origin
    private let maximum: Int
    private var count = 0

    /// Begins to read; nil if somebody has read before.
    ///
    /// - Parameters:
    ///   - lease: The claim on the content.
    ///   - codings: The values of Content-Encoding, which are known to be supported.
    ///   - origin: Whom it comes from, for errors.
    ///   - maximum: The most content that is accepted, in bytes.
    init?(_ lease: StreamLease, codings: [String], from origin: Origin, maximum: Int) {
        guard lease.channel.take() else { return nil }
        self.lease = lease
        self.origin = origin
        self.maximum = maximum
        if let decoding = try? ContentDecoding(codings), !decoding.isIdentity {
            self.decoding = decoding
        }
    }

    /// The next piece; nil at the end, and after an error.
    ///
    /// - Throws: Why there is no more.
    mutating func next() async throws(NetworkError) -> [UInt8]? {
        guard let lease else { return nil }
        do throws(NetworkError) {
            while true {
                let piece: [UInt8]
                if decoding?.isHolding == true {
                    piece = try decode(nil)
                } else {
                    switch await lease.next() {
                    case .piece(let received):
                        piece = decoding == nil ? received : try decode(received)
                    case .end:
                        guard decoding?.isComplete ?? true else { throw .endsEarly(origin) }
                        self.lease = nil
                        return nil
                    case .failed(let error): throw error
                    }
                }
                count += piece.count
                guard count <= maximum else { throw .bodyTooLarge(origin, maximum) }
                if !piece.isEmpty { return piece }
            }
        } catch {
            lease.cancel()
            self.lease = nil
            throw error
        }
    }

    /// Decodes until a piece is large enough, or there is nothing left to decode.
    ///
    /// - Parameter input: What was received; nil to go on with what is left.
    /// - Returns: The piece, which may be empty.
    /// - Throws: `NetworkError.Code.invalidResponse` if the input is not in its coding.
    private mutating func decode(_ input: [UInt8]?) throws(NetworkError) -> [UInt8] {
        var piece: [UInt8] = []
        func take(_ decoded: UnsafeRawBufferPointer) -> Bool {
            unsafe piece.append(contentsOf: decoded)
            return piece.count < Self.pieceSize
        }
        do throws(MalformedContent) {
            if let input {
                try unsafe input.span.withUnsafeBytes { (bytes) throws(MalformedContent) in
                    _ = try unsafe decoding?.decode(bytes, to: take)
                }
            } else {
                _ = try unsafe decoding?.goOn(to: take)
            }
        } catch {
            throw .malformedContent(origin)
        }
        return piece
    }
}

extension NetworkError {
    /// The content is larger than the request accepts.
    static func bodyTooLarge(_ origin: Origin, _ maximum: Int) -> NetworkError {
        NetworkError(
            .bodyTooLarge, "\(origin) sent more than \(maximum.inBytes) of content",
            hint: "raise 'maximumBodyBytes' if that is to be expected")
    }

    /// The content is not what its coding says.
    static func malformedContent(_ origin: Origin) -> NetworkError {
        NetworkError(.invalidResponse, "\(origin) sent content that can't be decompressed")
    }

    /// The content's coding has not come to its end.
    static func endsEarly(_ origin: Origin) -> NetworkError {
        NetworkError(.invalidResponse, "\(origin) sent compressed content that ends early")
    }
}
