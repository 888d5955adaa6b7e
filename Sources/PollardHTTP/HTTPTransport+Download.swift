// SPDX-License-Identifier: Apache-2.0

/// How far a download has come.
public struct DownloadProgress: Sendable, Hashable {
    /// The content written, in bytes after decompression.
    public var receivedBytes: Int64
    /// The whole content, in bytes; nil if the server doesn't say, or the content is compressed.
    public var totalBytes: Int64?

    /// Makes a progress, as a stub for tests does.
    public init(receivedBytes: Int64, totalBytes: Int64?) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
    }
}

extension HTTPTransport {
    /// Sends `request` and writes the content of a successful answer (2xx) to a file.
    ///
    /// The file appears, or takes the place of an older one, when it is complete and on the disk;
    /// until then it has a name of its own in the same directory, as
    /// `.data.csv.0123456789abcdef.partial`, and is removed after an error. What a program that was
    /// killed has left is removed by the next download to the same path. If that is relative, it
    /// counts from the working directory at the time when content comes.
    /// Only the user can read and write it. Raise the limits of the request for large files:
    /// `maximumBodyBytes`, and `timeouts.total`.
    ///
    /// ```swift
    /// let answer = try await transport.download(request, to: "/srv/data.csv") { progress in
    ///     print("\(progress.receivedBytes) of \(progress.totalBytes ?? 0) bytes")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - path: The file; its directory must exist.
    ///   - progress: Called in the caller's task, once at the start and after each piece.
    /// - Returns: The answer without its content.
    /// - Throws: `NetworkError.Code.server` for another status, with up to 64 KiB of its content;
    ///   `file` with the path if it can't be written; else what `stream(_:)` and the stream throw.
    @discardableResult
    public func download(
        _ request: HTTPRequest, to path: String,
        progress: (DownloadProgress) -> Void = { _ in }
    ) async throws(NetworkError) -> HTTPResponse {
        var stream = try await stream(request)
        if stream.head.url.isEmpty { stream.head.url = request.url }
        return try await stream.successful(
            to: request.method, without: SecretRedaction(of: request)
        )
        .write(to: path, progress: progress)
    }
}

/// The most content of an answer that says why there is no file, in bytes: enough for a text.
private let maximumErrorBytes = 64 << 10

extension HTTPStream {
    /// This stream, if its status is a success (2xx).
    ///
    /// - Throws: `NetworkError.Code.server` with the beginning of the content for any other; else
    ///   what reading throws.
    func successful(
        to method: HTTPMethod, without secrets: SecretRedaction
    ) async throws(NetworkError) -> HTTPStream {
        guard (200..<300).contains(head.status) else {
            var response = head
            response.body = try await prefix(maximumErrorBytes)
            throw NetworkError.refusal(response, to: method, without: secrets)
        }
        return self
    }

    /// Writes the content to a file, as `HTTPTransport.download` does.
    ///
    /// - Throws: `NetworkError.Code.file`; else what reading throws.
    func write(
        to path: String, progress: (DownloadProgress) -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        let file = try PartialFile(for: path)
        let isCompressed = head.fields["Content-Encoding"] != nil
        let length = head.fields["Content-Length"].flatMap { Int64($0) }
        var state = DownloadProgress(receivedBytes: 0, totalBytes: isCompressed ? nil : length)
        progress(state)
        for try await piece in self {
            try file.write(piece)
            state.receivedBytes += Int64(piece.count)
            progress(state)
        }
        try file.complete()
        return head
    }

    /// The beginning of the content.
    fileprivate func prefix(_ maximum: Int) async throws(NetworkError) -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self {
            bytes += piece.prefix(maximum - bytes.count)
            if bytes.count == maximum { break }
        }
        return bytes
    }
}
