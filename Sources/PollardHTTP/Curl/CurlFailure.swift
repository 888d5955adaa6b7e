// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

/// A request that libcurl gave up, with what is needed to say why.
struct CurlFailure: Sendable {
    /// libcurl's code.
    var code: CURLcode
    /// libcurl's own text for this very failure; may be empty.
    var detail = ""
    /// Whom the request went to.
    var origin: Origin
    /// The errno value of the last system call that failed; 0 if none did.
    var systemError: Int32 = 0
    /// OpenSSL's verdict on the certificate (X509_V_ERR_*); 0 if it is good.
    var verdict = 0
    /// The limits of the request.
    var timeouts = HTTPRequest.Timeouts()
    /// Whether the answer had not come further than its head.
    var isInHead = false
    /// How the server was to be reached.
    var connection = ConnectionOptions()
    /// What the proxy said.
    var proxyAnswer = ProxyAnswer()

    /// How a proxy answered.
    struct ProxyAnswer: Sendable {
        /// The status of the answer to CONNECT; 0 if there was none.
        var status = 0
        /// Why a SOCKS proxy made no connection.
        var reason = CURLPX_OK
    }

    /// The error that callers see.
    var networkError: NetworkError {
        var error = describe()
        error.curl = NetworkError.CurlError(code: Int(code.rawValue), text: text)
        error.isHostSilent = isHostSilent
        if mayLackHTTP2 { error.hint = "check that it speaks HTTP/2 without TLS" }
        return error
    }

    /// Whether the server may have been spoken to by HTTP/2 without knowing it: it sees a malformed
    /// request, answers in HTTP/1.1 or not at all, and closes the connection.
    private var mayLackHTTP2: Bool {
        guard connection.version == .http2, !origin.isSecure, isInHead else { return false }
        return [
            CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE,
            CURLE_RECV_ERROR, CURLE_SEND_ERROR,
        ].contains(code)
    }

    /// As `NetworkError.isHostSilent`, but for timeouts: those need to know how far it came.
    private var isHostSilent: Bool {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: true
        case CURLE_COULDNT_CONNECT:
            [ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH].contains(systemError)
        default: false
        }
    }

    private var text: String {
        guard detail.isEmpty else { return detail }
        guard let text = unsafe curl_easy_strerror(code) else { return "code \(code.rawValue)" }
        return unsafe String(cString: text)
    }

    private func describe() -> NetworkError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            NetworkError(
                .nameLookup,
                "the name '\(origin.host)' has no address; check its spelling and the name server")
        case CURLE_COULDNT_RESOLVE_PROXY:
            NetworkError(
                .nameLookup,
                "the name of the proxy '\(connection.proxy?.host ?? "")' has no address; "
                    + "check its spelling and the name server")
        case CURLE_PROXY: socksError
        case CURLE_RECV_ERROR where proxyAnswer.status >= 300: tunnelError
        case CURLE_COULDNT_CONNECT: connectError
        case CURLE_OPERATION_TIMEDOUT: timeoutError
        case CURLE_SSL_CONNECT_ERROR: handshakeError
        case CURLE_PEER_FAILED_VERIFICATION: certificateError
        case CURLE_SSL_CERTPROBLEM: clientCertificateError
        case CURLE_SSL_CACERT_BADFILE:
            NetworkError(
                .tls,
                "cannot read the CA certificates in "
                    + "'\(connection.tls.certificateAuthorities ?? "the system's file")'; "
                    + "check that the file exists and holds certificates in PEM form")
        default: answerError
        }
    }

    private var answerError: NetworkError {
        switch code {
        case CURLE_GOT_NOTHING:
            NetworkError(.connectionLost, "\(origin) closed the connection without an answer")
        case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND:
            NetworkError(.connectionLost, "the connection to \(origin) broke while sending")
        case CURLE_RECV_ERROR: receiveError
        case CURLE_HTTP2, CURLE_HTTP2_STREAM:
            NetworkError(.connectionLost, "\(origin) broke off the HTTP/2 stream")
        case CURLE_PARTIAL_FILE where isInHead:
            NetworkError(.connectionLost, "\(origin) closed the connection without an answer")
        case CURLE_PARTIAL_FILE:
            NetworkError(
                .invalidResponse,
                "\(origin) closed the connection before the content was complete")
        case CURLE_BAD_CONTENT_ENCODING where detail.contains("content encodings"):
            NetworkError(
                .invalidResponse, "\(origin) sent content in more codings than are accepted, 5")
        case CURLE_BAD_CONTENT_ENCODING:
            NetworkError(
                .invalidResponse, "\(origin) sent compressed content that ends early")
        case CURLE_UNSUPPORTED_PROTOCOL:
            NetworkError(.invalidResponse, "\(origin) sent something that is not HTTP")
        case CURLE_WEIRD_SERVER_REPLY:
            NetworkError(.invalidResponse, "\(origin) sent a malformed answer")
        case CURLE_TOO_MANY_REDIRECTS:
            NetworkError(
                .invalidResponse, "\(origin) asks for digest authentication again and again")
        case CURLE_URL_MALFORMAT: NetworkError(.invalidURL, "libcurl can't use the URL")
        // A line above 100 KiB fails like this, without a text.
        case CURLE_OUT_OF_MEMORY where isInHead: headersTooLarge
        case CURLE_OUT_OF_MEMORY: NetworkError.outOfMemory
        default:
            NetworkError(
                .transport,
                "the request to \(origin) failed: \(text.lowercasedFirst) "
                    + "(libcurl error \(code.rawValue))")
        }
    }

    private var headersTooLarge: NetworkError {
        NetworkError(.headersTooLarge, "\(origin) sent more header fields than are accepted")
    }

    private var receiveError: NetworkError {
        if detail.contains("certificate required") {
            return NetworkError(
                .tls, "\(origin) wants a client certificate; give one in the connection options")
        }
        if detail.contains("header") { return headersTooLarge }
        if detail.contains("chunk") {
            return NetworkError(.invalidResponse, "\(origin) sent malformed chunked content")
        }
        return NetworkError(.connectionLost, "the connection to \(origin) broke while receiving")
    }

    private var connectError: NetworkError {
        let cause =
            systemError == 0
            ? text.lowercasedFirst : NetworkError.text(ofSystemError: systemError)
        let hint =
            switch systemError {
            case ECONNREFUSED: "; check that the server runs and the port is right"
            case ENETUNREACH, EHOSTUNREACH: "; check the network and its routes"
            case EMFILE, ENFILE: "; raise the limit of open files"
            case ENOENT: "; check the path, and that the server runs"
            case EACCES: "; check the permissions of the socket"
            default: ""
            }
        return NetworkError(.connect, "cannot connect to \(peer): \(cause)\(hint)")
    }

    private var timeoutError: NetworkError {
        // libcurl is only told the limit for the connection; the others are kept by TimeLimits.
        NetworkError(.connect, of: timeouts, for: origin)
    }

    private var handshakeError: NetworkError {
        if detail.contains("wrong version number") || detail.contains("packet length too long") {
            return NetworkError(
                .tls, "\(origin) does not speak TLS; check whether its URL begins with http:")
        }
        if detail.contains("unsupported protocol") || detail.contains("alert protocol version") {
            let version = connection.tls.minimumVersion == .tls13 ? "1.3" : "1.2"
            return NetworkError(
                .tls, "\(origin) has no TLS \(version) or later; lower the minimum, or update it")
        }
        return NetworkError(
            .tls, "the TLS handshake with \(origin) failed: \(text.lowercasedFirst)")
    }

    private var certificateError: NetworkError {
        let certificate = "the certificate of \(origin)"
        switch verdict {
        // libcurl compares the names itself and gives OpenSSL's "unspecified".
        case 0, 1:
            return NetworkError(
                .tls,
                connection.tls.serverName.map {
                    "\(certificate) is not for the name '\($0)'; check the server name"
                } ?? "\(certificate) is for another name; check the host in the URL")
        case 10:
            return NetworkError(.tls, "\(certificate) has expired; renew it on the server")
        case 9:
            return NetworkError(.tls, "\(certificate) is not valid yet; check both clocks")
        case 18, 19, 20, 21:
            return NetworkError(
                .tls,
                "\(certificate) was issued by an unknown authority; "
                    + "add the authority to the CA certificates")
        default:
            return NetworkError(
                .tls, "\(certificate) is not accepted: \(text.lowercasedFirst)")
        }
    }
}

extension NetworkError {
    /// A time limit passed.
    init(_ limit: Timeout, of timeouts: HTTPRequest.Timeouts, for origin: Origin) {
        switch limit {
        case .total:
            self.init(
                .timeout,
                "no complete answer from \(origin) within \(timeouts.total.inMessages)")
        case .connect:
            self.init(
                .timeout, "no connection to \(origin) within \(timeouts.connect.inMessages)")
        case .idle:
            self.init(
                .timeout, "\(origin) sent nothing for \((timeouts.idle ?? .zero).inMessages)")
        }
        timeout = limit
    }
}
