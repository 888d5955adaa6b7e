// SPDX-License-Identifier: Apache-2.0
internal import CCurl

extension CurlHandle {
    /// How long each phase of this hop took.
    var timing: HTTPTiming {
        var timing = HTTPTiming()
        let lookup = size(CURLINFO_NAMELOOKUP_TIME_T)
        let connect = size(CURLINFO_CONNECT_TIME_T)
        let tls = size(CURLINFO_APPCONNECT_TIME_T)
        let ready = size(CURLINFO_PRETRANSFER_TIME_T)
        let start = size(CURLINFO_STARTTRANSFER_TIME_T)
        if madeConnection || ready == 0 {
            if lookup > 0 { timing.nameLookup = .microseconds(lookup) }
            if connect > 0 { timing.connect = .microseconds(max(0, connect - lookup)) }
            if tls > 0 { timing.tls = .microseconds(max(0, tls - connect)) }
        }
        if ready > 0, start > 0 { timing.firstByte = .microseconds(max(0, start - ready)) }
        return timing
    }

    /// Whether this request made a connection of its own rather than using one again.
    var madeConnection: Bool { long(CURLINFO_NUM_CONNECTS) > 0 }

    /// Whether this request found the host's address; not on a connection shared with others.
    var isNameFound: Bool { size(CURLINFO_NAMELOOKUP_TIME_T) > 0 }

    /// The protocol version of the answer.
    var version: String {
        switch long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
        case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
        default: "HTTP/1.1"
        }
    }

    /// The peer, as `192.0.2.1:443` or `[2001:db8::1]:443`.
    var remoteAddress: String? {
        guard let address = text(CURLINFO_PRIMARY_IP), !address.isEmpty else { return nil }
        let port = long(CURLINFO_PRIMARY_PORT)
        let isIPv6 = address.utf8.contains(UInt8(ascii: ":"))
        // Interpolation takes three times as long, and each answer has an address.
        return (isIPv6 ? "[" + address + "]:" : address + ":") + String(port)
    }

    /// The bytes of content sent so far.
    var sentByteCount: Int64 { size(CURLINFO_SIZE_UPLOAD_T) }

    /// The errno value of the last connection that failed; 0 if none did.
    var systemError: Int32 { Int32(truncatingIfNeeded: long(CURLINFO_OS_ERRNO)) }

    /// What a proxy said to a connection that could not be made.
    var proxyAnswer: CurlFailure.ProxyAnswer {
        .init(
            status: long(CURLINFO_HTTP_CONNECTCODE),
            reason: CURLproxycode(rawValue: UInt32(truncatingIfNeeded: long(CURLINFO_PROXY_ERROR))))
    }

    /// Whether libcurl gave up since kept connections died before a byte of the answer, as often as
    /// it tries one after the other over the life of a handle, whatever the method.
    func gaveUpOnKeptConnections(_ code: CURLcode) -> Bool {
        code == CURLE_SEND_ERROR && errorDetail.hasPrefix("Connection died, tried")
    }

    /// OpenSSL's verdict on the server's certificate.
    var verdict: Int { long(CURLINFO_SSL_VERIFYRESULT) }

    /// When the server's own certificate expires; nil unless this request made the handshake.
    var certificateExpiry: Int64? {
        var chain: UnsafeMutablePointer<curl_certinfo>?
        guard unsafe pollard_curl_get_certificates(easy, &chain) == CURLE_OK,
            let chain = unsafe chain, unsafe chain.pointee.num_of_certs > 0
        else { return nil }
        var line = unsafe chain.pointee.certinfo[0]
        while let current = unsafe line {
            let text = unsafe String(cString: current.pointee.data)
            if text.hasPrefix(Self.expiryLabel) {
                return CertificateExpiries.seconds(
                    of: String(text.dropFirst(Self.expiryLabel.count)))
            }
            unsafe line = unsafe current.pointee.next
        }
        return nil
    }

    private static var expiryLabel: String { "Expire date:" }

    private func long(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe pollard_curl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    private func size(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return unsafe pollard_curl_get_size(easy, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    private func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe pollard_curl_get_text(easy, info, &value) == CURLE_OK,
            let value = unsafe value
        else { return nil }
        return unsafe String(cString: value)
    }
}
