// SPDX-License-Identifier: Apache-2.0

/// A complete answer to a request.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code (RFC 9110, 15).
    public var status: Int
    /// Header fields of the final answer, in order.
    public var fields: HTTPFields
    /// The content, decompressed.
    public var body: [UInt8]
    /// The protocol version: `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`.
    public var version = "HTTP/1.1"
    /// The URL that answered, after redirects.
    public var url: String
    /// The number of redirects followed.
    public var redirectCount = 0
    /// The address that answered, as `192.0.2.1:443` or `[2001:db8::1]:443`.
    public var remoteAddress: String?
    /// When the server's certificate expires, in seconds since 1970; kept from the last handshake.
    public var certificateExpiry: Int64?
    /// How long each phase of the last request took.
    public var timing = HTTPTiming()
    /// How the cache of this process came to the answer; nil without a cache.
    public var cacheOutcome: CacheOutcome?
    /// How often a client sent the request, and how each attempt ended; a transport leaves it empty.
    public var history: [HTTPAttempt] = []

    /// Makes a response, as a stub for tests does.
    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = [], url: String = "") {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }
}

extension HTTPResponse {
    /// The number of requests sent for this answer by retrying, the first included.
    public var attempts: Int { max(1, history.count) }

    /// What a client spent on all attempts, the delays between them included; as in
    /// `HTTPTiming.total`, waiting to be sent is no part of it.
    public var elapsed: Duration { history.elapsed }
}

/// The duration of each phase of a request; nil for a phase that did not happen.
public struct HTTPTiming: Sendable, Hashable {
    /// The name lookup.
    public var nameLookup: Duration?
    /// The TCP handshake; nil on a reused connection.
    public var connect: Duration?
    /// The TLS handshake; nil on a reused connection and on plain HTTP.
    public var tls: Duration?
    /// From the moment the connection was ready to the first byte of the answer.
    public var firstByte: Duration?
    /// From the start to the last byte, all redirects included; before, a request may have waited
    /// for others, or for its rate, which is no part of this.
    public var total: Duration = .zero

    /// Makes a timing of nothing.
    public init() {}
}
