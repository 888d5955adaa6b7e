// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import Glibc

/// Failures of what is on the way to the server.
extension CurlFailure {
    /// Whom the connection itself is made to, as errors name it.
    var peer: String {
        if let path = connection.unixSocket { return "'\(path)'" }
        if let proxy = connection.proxy { return "the proxy \(proxy.authority)" }
        return "\(origin)"
    }

    private var proxy: String { "the proxy \(connection.proxy?.authority ?? "")" }

    /// The proxy wants to know who asks, or doesn't like the answer.
    private var credentialsError: NetworkError {
        NetworkError(
            .connect,
            connection.proxy?.credentials == nil
                ? "\(proxy) wants a user name and a password; give it both"
                : "\(proxy) refuses the user name or the password; check both")
    }

    /// An HTTP proxy makes no tunnel.
    var tunnelError: NetworkError {
        // 407 is the standard's (RFC 9110, 15.5.8), 401 what tinyproxy says to a wrong password.
        if [401, 407].contains(proxyAnswer.status) { return credentialsError }
        return NetworkError(
            .connect,
            "\(proxy) makes no connection to \(origin): it answered \(proxyAnswer.status); "
                + "check that it allows this host and port, and that the server runs")
    }

    /// A SOCKS proxy makes no connection.
    var socksError: NetworkError {
        let cause =
            switch proxyAnswer.reason {
            case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD_DIFFER: nil as String?
            case CURLPX_REPLY_CONNECTION_REFUSED: "connection refused"
            case CURLPX_REPLY_HOST_UNREACHABLE: "host unreachable"
            case CURLPX_REPLY_NETWORK_UNREACHABLE: "network unreachable"
            case CURLPX_REPLY_NOT_ALLOWED: "not allowed"
            case CURLPX_REPLY_TTL_EXPIRED: "timed out"
            case CURLPX_CLOSED: "it closed the connection"
            default: detail.lowercasedFirst
            }
        guard let cause else { return credentialsError }
        return NetworkError(
            .connect,
            "\(proxy) makes no connection to \(origin): \(cause); "
                + "check that it allows this host and port, and that the server runs")
    }

    /// The client's own certificate or key can't be used.
    var clientCertificateError: NetworkError {
        guard let client = connection.tls.clientCertificate else {
            return NetworkError(.tls, "the client certificate can't be used")
        }
        for path in [client.certificate, client.key] where unsafe access(path, R_OK) != 0 {
            let cause = NetworkError.text(ofSystemError: errno)
            return NetworkError(
                .tls, "cannot read '\(path)' for the client certificate: \(cause)")
        }
        return NetworkError(
            .tls,
            "cannot use the client certificate '\(client.certificate)' with the key "
                + "'\(client.key)'; check that both are in PEM form, belong together, and that the "
                + "key is not encrypted")
    }
}
