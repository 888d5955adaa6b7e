// SPDX-License-Identifier: Apache-2.0

/// One request, complete: what a transport needs to send it.
public struct HTTPRequest: Sendable, Hashable {
    /// The absolute URL, percent-encoded; http or https.
    public var url: String
    /// The method; GET by default.
    public var method: HTTPMethod
    /// Header fields, in order; they take precedence over those that a transport adds.
    public var fields: HTTPFields
    /// The content; nil sends none.
    public var body: [UInt8]?
    /// Content that is read from files while it is sent, instead of `body`; nil for none.
    public var upload: HTTPUpload?
    /// What may take how long.
    public var timeouts = Timeouts()
    /// The number of redirects followed before the request fails; 0 takes a redirect as the answer.
    public var maximumRedirects = HTTPRequest.defaultMaximumRedirects
    /// The largest content accepted, in bytes after decompression; `Int.max` lifts the limit.
    public var maximumBodyBytes = HTTPRequest.defaultMaximumBodyBytes
    /// Whether the connection may be used for later requests; true by default.
    ///
    /// False closes it after the answer: for one of thousands of hosts that are rarely asked, where
    /// keeping all connections costs more than making them.
    public var keepsConnection = true
    /// How the server is reached; nil, the default, for the options of the transport.
    public var connection: ConnectionOptions?
    /// What is proved to the origin of the URL if it asks; see `authenticate(by:)`.
    var digest: DigestCredentials?
    /// Whether a redirect from another origin led here: what the options have for the first origin
    /// only is not used.
    var hasLeftOrigin = false
    /// The names of header fields that hold credentials, although they are not named so; none by
    /// default.
    ///
    /// Credentials are not sent to another origin after a redirect, tell users of a cache apart, and
    /// are not kept by a queue. `Authorization`, `Proxy-Authorization` and `Cookie` need not be
    /// named, nor what has `token`, `secret`, `session`, `auth` or a like word in its name, or ends
    /// in `-Key` (`Idempotency-Key` is none).
    public var credentialFields: Set<String> = []

    /// An API that needs over 10 redirects is a loop; browsers and curl allow 20 and more.
    public static let defaultMaximumRedirects = 10
    /// 16 MiB: far above what APIs send, far below what a process can hold for many requests.
    public static let defaultMaximumBodyBytes = 16 << 20

    /// Makes a request with the default limits.
    public init(
        url: String, method: HTTPMethod = .get, fields: HTTPFields = [:], body: [UInt8]? = nil
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
    }

    /// The time limits of one request.
    public struct Timeouts: Sendable, Hashable {
        /// From the start of the name lookup to the last byte; 30 s by default.
        public var total: Duration = .seconds(30)
        /// For name lookup, connection and TLS handshake; 10 s by default.
        public var connect: Duration = .seconds(10)
        /// Without a byte received once the request is sent; none by default.
        public var idle: Duration?

        /// Makes the default limits.
        public init() {}
    }
}
