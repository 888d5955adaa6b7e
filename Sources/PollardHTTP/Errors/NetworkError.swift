// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// Why a request gave no usable answer.
public struct NetworkError: Error, Sendable {
    /// What went wrong; an open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The URL can't be used.
        public static let invalidURL = Code(rawValue: "invalid URL")
        /// A method, a field or the content can't be sent as it is.
        public static let invalidRequest = Code(rawValue: "invalid request")
        /// What was received is no HTTP answer, or an incomplete one.
        public static let invalidResponse = Code(rawValue: "invalid response")
        /// The host's name has no address.
        public static let nameLookup = Code(rawValue: "name lookup")
        /// No connection could be made: refused, unreachable.
        public static let connect = Code(rawValue: "connect")
        /// The TLS handshake or the certificate failed.
        public static let tls = Code(rawValue: "TLS")
        /// The connection broke while sending or receiving.
        public static let connectionLost = Code(rawValue: "connection lost")
        /// A time limit passed; `timeout` says which.
        public static let timeout = Code(rawValue: "timeout")
        /// The task was cancelled, or the transport closed.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The server does not speak the version of HTTP that the connection options ask for.
        public static let httpVersion = Code(rawValue: "HTTP version")
        /// The content is larger than the request accepts.
        public static let bodyTooLarge = Code(rawValue: "body too large")
        /// The header section is larger than the transport accepts.
        public static let headersTooLarge = Code(rawValue: "headers too large")
        /// More redirects than the request follows.
        public static let tooManyRedirects = Code(rawValue: "too many redirects")
        /// The status says that the request failed; `response` has it.
        public static let server = Code(rawValue: "server error")
        /// An authorization server gave no token.
        public static let authentication = Code(rawValue: "authentication")
        /// The content could not be encoded.
        public static let encoding = Code(rawValue: "encoding")
        /// The content could not be decoded.
        public static let decoding = Code(rawValue: "decoding")
        /// A file could not be read or written; the message has its path.
        public static let file = Code(rawValue: "file")
        /// Any other failure of the transport.
        public static let transport = Code(rawValue: "transport")
    }

    /// The limit that a timeout passed.
    public enum Timeout: String, Sendable {
        /// From the start of the name lookup to the last byte.
        case total
        /// For name lookup, connection and TLS handshake.
        case connect
        /// Without a byte received.
        case idle
    }

    /// How libcurl names a failure.
    public struct CurlError: Sendable, Hashable {
        /// CURLcode, as curl(1) exits with.
        public var code: Int
        /// libcurl's text for this very failure.
        public var text: String

        /// Makes one, as a stub for tests does.
        public init(code: Int, text: String) {
            self.code = code
            self.text = text
        }
    }

    /// What went wrong.
    public var code: Code
    /// One lower-case clause for a person, without secrets.
    public var message: String
    /// What to do about it, if that is known: a clause after the message and its causes.
    public var hint: String?
    /// Which limit passed, for `timeout`.
    public var timeout: Timeout?
    /// libcurl's code and text, if libcurl failed.
    public var curl: CurlError?
    /// The answer, if one was received.
    public var response: HTTPResponse?
    /// The peer that a connection was made to, as `192.0.2.1:443`; nil if there was none.
    public var remoteAddress: String?
    /// Whether nothing came from the host, as when the network near this machine is down: its
    /// name was not found, there was no way to it, or not one byte of it came in time.
    ///
    /// A refused or broken connection, a bad certificate and a redirect are signs of a host.
    public var isHostSilent = false
    /// How far the request came.
    public var timing = HTTPTiming()
    /// How often a client sent the request, and how each attempt ended; empty if it came to none.
    public var history: [HTTPAttempt] = []
    /// What caused it.
    public var underlying: (any Error)?

    /// Makes an error.
    public init(
        _ code: Code, _ message: String, hint: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.underlying = underlying
    }
}

extension NetworkError {
    /// The status of the answer; nil if none was received.
    public var status: Int? { response?.status }

    /// The number of requests that a client sent, the first included; 0 if it came to none.
    public var attempts: Int { history.count }

    /// As in `HTTPResponse.elapsed`.
    public var elapsed: Duration { history.elapsed }

    /// An error about an answer that was received as a whole.
    init(_ code: Code, _ message: String, about response: HTTPResponse) {
        self.init(code, message)
        self.response = response
        remoteAddress = response.remoteAddress
        timing = response.timing
        history = response.history
    }
}

extension NetworkError: CustomStringConvertible {
    /// The message, those of its causes joined with `: `, and what to do, all on one line, without
    /// characters that are not seen or could steer a terminal.
    public var description: String {
        let causes = underlying.map { ": \(String(describing: $0))" } ?? ""
        let text = "\(message)\(causes)\(hint.map { "; \($0)" } ?? "")"
        return text.split(whereSeparator: \.isNewline).joined(separator: " ").withVisibleControls
    }
}

extension NetworkError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension NetworkError {
    /// Memory for a libcurl handle could not be had.
    static var outOfMemory: NetworkError {
        NetworkError(.transport, "libcurl has no memory for another request")
    }
}
