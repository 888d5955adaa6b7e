// SPDX-License-Identifier: Apache-2.0

/// What a server answered to one poll, after retries and redirects.
package struct Answer: Sendable, Equatable {
    /// The status code (RFC 9110, 15).
    package var status: Int
    /// The reason phrase of the status, as `Not Found`; nil if it has none.
    package var reason: String?
    /// The media type of the Content-Type field with its parameters, if there is one.
    package var contentType: String?
    package var body: [UInt8]
    /// The validators of this answer.
    package var validators: Validators
    /// The number of requests sent, the first included.
    package var attempts = 1
    package var timing = PhaseTiming()
    /// `HTTP/1.1` or `HTTP/2`.
    package var version = "HTTP/1.1"
    /// The address that answered, as `192.0.2.1:443` or `[2001:db8::1]:443`.
    package var remoteAddress: String?
    /// When the certificate last seen from this host expires.
    package var certificateExpiry: Timestamp?

    package init(
        status: Int, contentType: String? = nil, body: [UInt8] = [],
        validators: Validators = Validators()
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.validators = validators
    }
}

/// The time that each phase of the last attempt took; nil where the phase did not happen.
package struct PhaseTiming: Sendable, Equatable {
    package var nameLookup: Duration?
    package var connect: Duration?
    package var tls: Duration?
    /// From the request's last byte to the answer's first.
    package var firstByte: Duration?
    /// The whole poll: all attempts, and the delays between them.
    package var total: Duration = .zero

    package init() {}
}

/// What a conditional request sends back (RFC 9110, 8.8).
package struct Validators: Sendable, Hashable {
    /// The ETag field as received, quotes and `W/` included.
    package var entityTag: String?
    /// The Last-Modified field as received.
    package var lastModified: String?

    package init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    package var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
