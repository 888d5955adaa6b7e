// SPDX-License-Identifier: Apache-2.0

extension CurlTransport {
    /// What all requests of one transport share.
    public struct Configuration: Sendable, Hashable {
        /// What may be done at once, and kept for later.
        public var limits = Limits()
        /// How servers are reached by requests without options of their own.
        public var connection = ConnectionOptions()
        /// The User-Agent field of requests that have none.
        public var userAgent = CurlTransport.defaultUserAgent
        /// The most bytes of header fields that an answer may have; 256 KiB by default.
        ///
        /// libcurl itself stops at 300 KB, and at 100 KiB for one field.
        public var maximumHeaderBytes = 256 << 10

        /// Makes the default configuration.
        public init() {}
    }

    /// Bounds on what one transport does at once and keeps for later.
    public struct Limits: Sendable, Hashable {
        /// The most requests in flight at once, others wait; 256 by default.
        public var maximumConcurrentRequests = 256
        /// The most requests in flight to one origin, and connections to it; 6 by default.
        public var maximumPerOrigin = 6
        /// How fast requests to one origin may follow each other, others wait; nil, the default,
        /// for as fast as they come.
        ///
        /// They are spaced evenly: ten a second means a tenth of a second from one to the next,
        /// also after a pause. Redirects count, and each attempt.
        public var maximumRatePerOrigin: RequestRate?
        /// The most connections kept open between requests with the same connection options; 1024
        /// by default.
        ///
        /// Make it at least the number of hosts, or they evict each other and none is reused. An
        /// idle TLS connection takes about 47 kB, and each connection one descriptor.
        public var keptConnections = 1024
        /// How long a connection may be unused and still be used again; 10 min by default.
        ///
        /// Make it longer than the longest time between two requests to a host.
        public var maximumConnectionAge: Duration = .seconds(600)
        /// How long an address that was looked up is used for new connections, in whole seconds,
        /// rounded up; 2 s by default, and zero looks it up for each.
        ///
        /// Within that time many new connections take one lookup; after it a name that has moved is
        /// followed. Kept connections stay where they are. Whatever the name server says of how
        /// long an address is good is not known here: the system's resolver doesn't tell. Longer
        /// costs time where there are thousands of hosts, since libcurl goes through all that it
        /// keeps at the end of each request.
        public var maximumAddressAge: Duration = .seconds(2)

        /// Makes the default limits.
        public init() {}
    }

    /// The version of the library, as the User-Agent field gives it.
    static let version = "0.1.0"

    /// The product and its version (RFC 9110, 10.1.5).
    public static let defaultUserAgent = "pollard/\(version)"
}
