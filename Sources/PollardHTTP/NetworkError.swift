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
        /// The content is larger than the request accepts.
        public static let bodyTooLarge = Code(rawValue: "body too large")
        /// The header section is larger than the transport accepts.
        public static let headersTooLarge = Code(rawValue: "headers too large")
        /// More redirects than the request follows.
        public static let tooManyRedirects = Code(rawValue: "too many redirects")
        /// The status says that the request failed; `response` has it.
        public static let server = Code(rawValue: "server error")
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
    /// Which limit passed, for `timeout`.
    public var timeout: Timeout?
    /// libcurl's code and text, if libcurl failed.
    public var curl: CurlError?
    /// The answer, if one was received.
    public var response: HTTPResponse?
    /// The peer that a connection was made to, as `192.0.2.1:443`; nil if there was none.
    public var remoteAddress: String?
    /// How far the request came.
    public var timing = HTTPTiming()
    /// The number of requests that a client sent, the first included; 0 if it came to none.
    public var attempts = 0
    /// What caused it.
    public var underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension NetworkError: CustomStringConvertible {
    /// The message and those of its causes on one line, joined with `: `.
    public var description: String {
        guard let underlying else { return message }
        return "\(message): \(Self.oneLine(String(describing: underlying)))"
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
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
