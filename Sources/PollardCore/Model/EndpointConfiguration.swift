// SPDX-License-Identifier: Apache-2.0

/// One endpoint as configured: validated, defaults applied, secrets read.
package struct EndpointConfiguration: Sendable, Equatable {
    package var name: EndpointName
    package var request: RequestConfiguration
    /// The time between the starts of two polls; at least 100 ms.
    package var interval: Duration = .seconds(60)
    /// The share of the interval over which phases are spread, 0 to 1.
    package var jitter: Double = 1
    package var retry = RetryConfiguration()
    package var cache: CacheMode = .validators
    package var format: ContentFormat = .auto
    package var rules = ComparisonRules()
    package var expectations = Expectations()
    package var alert = AlertPolicy()
    /// The journal level of this endpoint's changes.
    package var priority: JournalPriority = .notice
    /// Each becomes the journal field `POLLARD_LABEL_<NAME>`; sorted by name.
    package var labels: [Label] = []
    package var isEnabled = true

    package init(name: EndpointName, request: RequestConfiguration) {
        self.name = name
        self.request = request
    }

    /// A name and a text that an operator attaches to an endpoint.
    package struct Label: Sendable, Equatable {
        /// `[A-Za-z][A-Za-z0-9_]{0,31}`, so that it can be part of a journal field's name.
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Which conditional requests are sent.
    package enum CacheMode: String, Sendable, CaseIterable {
        /// ETag and Last-Modified are kept, also across restarts, and sent back (RFC 9110, 13).
        case validators
        case none
    }
}

/// What is sent to an endpoint.
package struct RequestConfiguration: Sendable, Equatable {
    /// The absolute URL (http or https) without userinfo and without `query`.
    package var url: String
    /// Query parameters in order, not yet percent-encoded; a name may repeat.
    package var query: [Parameter] = []
    /// An RFC 9110 method in upper case.
    package var method = "GET"
    package var headers: [Parameter] = []
    package var body: Body?
    package var authentication: Authentication?
    /// The limit for one attempt, from the start of name lookup to the last byte.
    package var timeout: Duration = .seconds(30)
    /// The limit for name lookup, connection and TLS handshake together.
    package var connectTimeout: Duration = .seconds(10)
    /// The number of redirects followed; 0 takes a redirect as the answer.
    package var maximumRedirects = RequestConfiguration.defaultMaximumRedirects
    /// The largest body, in bytes after decompression; past it the transfer is aborted.
    package var maximumBodyBytes = 16 << 20

    /// What browsers and curl allow is 20 and more; an API that needs over 10 is a loop.
    package static let defaultMaximumRedirects = 10

    package init(url: String) { self.url = url }

    /// A query parameter, header field or form field.
    package struct Parameter: Sendable, Equatable {
        package var name: String
        package var value: Value

        package init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// A text, or a secret that is kept out of everything seen.
    package enum Value: Sendable, Equatable {
        case plain(String)
        case secret(Secret)

        /// The text to send.
        package func reveal() -> String {
            switch self {
            case .plain(let text): text
            case .secret(let secret): secret.reveal()
            }
        }
    }

    /// The content of a request; each form sets Content-Type unless a header gives it.
    package enum Body: Sendable, Equatable {
        /// The text of a JSON value: `application/json`.
        case json(String)
        /// `application/x-www-form-urlencoded`.
        case form([Parameter])
        /// `text/plain; charset=utf-8`.
        case text(String)
    }

    /// Credentials, sent to the origin of `url` only.
    package enum Authentication: Sendable, Equatable {
        case bearer(Secret)
        case basic(username: String, password: Secret)
        case header(name: String, value: Secret)
    }
}

/// When a failed attempt is made again within one poll.
package struct RetryConfiguration: Sendable, Equatable {
    /// All attempts of a poll, the first included; 1 never retries.
    package var attempts = 3
    /// The upper bound of the first delay; each later bound is twice as long.
    package var initial: Duration = .milliseconds(500)
    /// The longest delay.
    package var maximum: Duration = .seconds(30)
    /// Whether POST and PATCH, which are not idempotent, are retried too.
    package var retriesUnsafeMethods = false

    package init() {}
}

/// What is wanted of an answer.
package struct Expectations: Sendable, Equatable {
    /// The life that the server's certificate must have left; less is a warning once a day.
    package var certificate: Duration?

    package init() {}
}

/// When an endpoint counts as failing and as recovered.
package struct AlertPolicy: Sendable, Equatable {
    /// The number of failed polls at which an endpoint is failing: in a row, or among `within`.
    package var after = 1
    /// The number of last polls among which failures count, up to 64, also if good polls were in
    /// between; nil for failures in a row only.
    package var within: Int?
    /// The number of consecutive good polls at which a failing endpoint has recovered.
    package var recover = 1
    /// The time after which a failing endpoint is told of again, each time; nil for never.
    package var remind: Duration?

    package init() {}
}
