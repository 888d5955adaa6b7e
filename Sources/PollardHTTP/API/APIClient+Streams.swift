// SPDX-License-Identifier: Apache-2.0

// Answers that are read while they come, or written to a file. They go the way of every request:
// base URL, header fields, middleware, token and retry. Once the head of a success is there, nothing
// is sent again.

extension APIClient {
    /// The complete answer in one piece, for clients without streams of their own.
    ///
    /// - Throws: As `response(for:)`.
    public func stream(for endpoint: some Endpoint) async throws(NetworkError) -> HTTPStream {
        HTTPStream(try await response(for: endpoint))
    }

    /// Sends the request of `endpoint`, and gives the content of a successful answer (2xx) while it
    /// comes.
    ///
    /// The time limit in all includes reading, and `maximumBodyBytes` holds; raise them for what is
    /// long.
    ///
    /// ```swift
    /// let log = try await client.stream(.path("/log").with { $0.timeouts.total = .seconds(3600) })
    /// for try await piece in log { print(piece.count) }
    /// ```
    ///
    /// - Parameter endpoint: What to request, with its own method and content.
    /// - Returns: The answer, whose content is read as a sequence.
    /// - Throws: `NetworkError.Code.server` for another status, with up to 64 KiB of its content;
    ///   else why there was no head.
    public func stream(_ endpoint: some Endpoint) async throws(NetworkError) -> HTTPStream {
        try await stream(for: endpoint)
            .successful(to: endpoint.method, without: redaction(of: endpoint))
    }

    /// Sends the request of `endpoint`, and writes the content of a successful answer (2xx) to a file.
    ///
    /// The file appears when it is complete, as `HTTPTransport.download` has it.
    ///
    /// ```swift
    /// let report = AnyEndpoint(path: "/report.csv").with { $0.maximumBodyBytes = .max }
    /// try await client.download(report, to: "/srv/report.csv") { print($0.receivedBytes) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: What to request, with its own method and content.
    ///   - path: The file; its directory must exist.
    ///   - progress: Called in the caller's task, once at the start and after each piece.
    /// - Returns: The answer without its content.
    /// - Throws: `NetworkError.Code.file` with the path if it can't be written; else as `stream(_:)`
    ///   and reading it.
    @discardableResult
    public func download(
        _ endpoint: some Endpoint, to path: String,
        progress: (DownloadProgress) -> Void = { _ in }
    ) async throws(NetworkError) -> HTTPResponse {
        try await stream(endpoint).write(to: path, progress: progress)
    }
}
