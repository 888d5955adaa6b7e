// SPDX-License-Identifier: Apache-2.0
internal import CCurl

extension CurlHandle {
    /// Sets how servers are reached.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    func setConnection() throws(NetworkError) {
        switch connection.version {
        case .automatic: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        case .http1: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        case .http2: break  // Depends on the URL.
        }
        if let path = connection.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, text: path) }
        try setTLS(connection.tls)
        try setProxy(connection.proxy)
    }

    private func setTLS(_ tls: ConnectionOptions.TLS) throws(NetworkError) {
        // A CA directory forbids libcurl to cache the parsed CA file: 39 ms CPU a handshake.
        try set(CURLOPT_CAPATH, text: nil)
        if let file = tls.certificateAuthorities { try set(CURLOPT_CAINFO, text: file) }
        switch tls.minimumVersion {
        case .tls12: try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        case .tls13: try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
        }
        if tls.verification == .insecureNone {
            try set(CURLOPT_SSL_VERIFYPEER, 0)
            try set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        guard let client = tls.clientCertificate else { return }
        try set(CURLOPT_SSLCERT, text: client.certificate)
        try set(CURLOPT_SSLKEY, text: client.key)
        // Without one, OpenSSL would ask at the terminal for the passphrase of an encrypted key.
        try set(CURLOPT_KEYPASSWD, text: "")
    }

    private func setProxy(_ proxy: ConnectionOptions.Proxy?) throws(NetworkError) {
        // The empty string, unlike NULL, keeps libcurl from reading http_proxy and the like.
        try set(CURLOPT_PROXY, text: proxy?.url ?? "")
        try set(CURLOPT_NOPROXY, text: "")
        guard let proxy else { return }
        // The answer to CONNECT is not the answer.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        guard let credentials = proxy.credentials else { return }
        try set(CURLOPT_PROXYUSERNAME, text: credentials.username)
        try set(CURLOPT_PROXYPASSWORD, text: credentials.password)
    }

    /// Sets the URL, and where to connect to if its host is only the server's name.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func setDestination(of hop: Hop) throws(NetworkError) {
        let origin = hop.url.origin
        if connection.version == .http2 {
            // With TLS, prior knowledge would also be spoken to servers that know of no ALPN.
            try set(
                CURLOPT_HTTP_VERSION,
                Int(
                    origin.isSecure
                        ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
        }
        guard let name = connection.tls.serverName else {
            // Once as text, or libcurl would put it together; once parsed, which is what counts.
            try set(CURLOPT_URL, text: hop.url.text)
            return try unsafe set(
                CURLOPT_CURLU, pointer: UnsafeMutableRawPointer(hop.url.parts.handle))
        }
        // libcurl asks for, and verifies, the host of the URL; so that has to be the name.
        try set(
            CURLOPT_URL, text: origin.isSecure ? hop.url.text(withHost: name) : hop.url.text)
        try connect(to: "\(name):\(origin.port):\(origin.host):\(origin.port)")
    }
}
