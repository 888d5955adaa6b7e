// SPDX-License-Identifier: Apache-2.0
internal import CCurl
internal import PollardCompression

/// Owns one easy handle of libcurl: used for one request after the other, on the loop's thread.
///
/// Options that never change are set once, all others for each request; the handle is never
/// reset, since that would bring back defaults such as CAPATH.
@safe final class CurlHandle {
    /// The handle itself, for the multi interface only.
    let easy: UnsafeMutableRawPointer

    private let errorText: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// How long a connection may be unused; nil before it is set.
    private var connectionAge: Duration?

    /// Makes a handle with the options that all requests share.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    init(_ configuration: CurlTransport.Configuration) throws(NetworkError) {
        guard let easy = unsafe curl_easy_init() else { throw NetworkError.outOfMemory }
        unsafe self.easy = unsafe easy
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setConstantOptions(configuration)
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(fields)
        unsafe errorText.deallocate()
    }

    /// How long an address that was looked up is used for new connections.
    ///
    /// libcurl goes through all that it knows at the end of each transfer: with 10,000 hosts and
    /// its default of 60 s, that takes longer than the transfer itself. Connections are kept.
    private static let addressCacheSeconds = 2

    private func setConstantOptions(
        _ configuration: CurlTransport.Configuration
    ) throws(NetworkError) {
        try unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_NOPROGRESS, 1)
        // Without it, giving up a name lookup waits for the resolver, and all requests with it.
        try set(CURLOPT_QUICK_EXIT, 1)
        // A CA directory forbids libcurl to cache the parsed CA file: 39 ms CPU a handshake.
        try set(CURLOPT_CAPATH, text: nil)
        if let file = configuration.certificateAuthorities {
            try set(CURLOPT_CAINFO, text: file)
        }
        try set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        try set(CURLOPT_DNS_CACHE_TIMEOUT, Self.addressCacheSeconds)
        // The empty string, unlike NULL, keeps libcurl from reading http_proxy and the like.
        try set(CURLOPT_PROXY, text: "")
        // Followed by Hop, which knows what may go to another origin.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_ACCEPT_ENCODING, text: ContentDecoding.acceptEncoding)
        // Decoded by ContentDecoding, which notices a stream that ends early.
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        try set(CURLOPT_USERAGENT, text: configuration.userAgent)
        switch configuration.version {
        case .automatic: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        case .http1: try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        try setCallbacks()
    }

    /// Sets how long a connection may be unused and still be used again.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func setConnectionAge(_ age: Duration) throws(NetworkError) {
        guard age != connectionAge else { return }
        let seconds = age.nanoseconds / 1_000_000_000
        try set(CURLOPT_MAXAGE_CONN, Int(seconds.clamped(to: 1...Int64(Int32.max))))
        connectionAge = age
    }

    private func setCallbacks() throws(NetworkError) {
        try check(
            unsafe pollard_curl_set_data_callback(
                easy, CURLOPT_WRITEFUNCTION
            ) { bytes, size, count, user in
                let length = size * count
                let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
                let transfer = unsafe CurlHandle.transfer(user)
                return unsafe transfer.receiveBody(chunk) ? length : 0
            })
        try check(
            unsafe pollard_curl_set_data_callback(
                easy, CURLOPT_HEADERFUNCTION
            ) { bytes, size, count, user in
                let length = size * count
                let line = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
                let transfer = unsafe CurlHandle.transfer(user)
                return unsafe transfer.receiveLine(line.assumingMemoryBound(to: UInt8.self).span)
                    ? length : 0
            })
        try check(
            unsafe pollard_curl_set_request_callback(easy) { user, _, _, _, _ in
                unsafe CurlHandle.transfer(user).noteConnected()
                return CURL_PREREQFUNC_OK
            })
        try check(
            unsafe pollard_curl_set_socket_opener(easy) { user, _, address in
                guard let address = unsafe address?.pointee else { return -1 }
                return unsafe CurlHandle.transfer(user).openSocket(
                    address.family, address.socktype, address.protocol)
            })
    }

    /// The transfer that a callback of libcurl is about.
    private static func transfer(_ user: UnsafeMutableRawPointer?) -> Transfer {
        guard let user = unsafe user else { preconditionFailure("libcurl lost its user pointer") }
        return unsafe Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue()
    }

    /// Sets all that differs between requests.
    ///
    /// - Parameters:
    ///   - hop: What to send where.
    ///   - transfer: Who receives the answer; must live until the handle is done.
    ///   - connect: The milliseconds for the connection, shared among a name's addresses.
    ///   - isFresh: Whether to make a new connection, in order to see the certificate.
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func prepare(
        _ hop: Hop, for transfer: Transfer, connect: Int, isFresh: Bool
    ) throws(NetworkError) {
        unsafe errorText.pointee = 0
        let user = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        try unsafe set(CURLOPT_PRIVATE, pointer: user)
        try unsafe set(CURLOPT_WRITEDATA, pointer: user)
        try unsafe set(CURLOPT_HEADERDATA, pointer: user)
        try unsafe set(CURLOPT_PREREQDATA, pointer: user)
        try unsafe set(CURLOPT_OPENSOCKETDATA, pointer: user)
        try set(CURLOPT_URL, text: hop.url.text)
        try set(CURLOPT_CONNECTTIMEOUT_MS, connect)
        try set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        try set(CURLOPT_FORBID_REUSE, transfer.request.keepsConnection ? 0 : 1)
        let isSecure = hop.url.origin.isSecure
        // Only TLS can tell that requests may share a connection, and so be worth the wait.
        try set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
        try set(CURLOPT_CERTINFO, isSecure ? 1 : 0)
        try setFields(of: hop)
        try setMethodAndBody(of: hop)
    }

    private func setMethodAndBody(of hop: Hop) throws(NetworkError) {
        // In this order: POSTFIELDS makes it a POST, HTTPGET and NOBODY take that back.
        if let body = hop.contentToSend {
            try set(CURLOPT_POST, 1)
            try check(
                unsafe pollard_curl_set_size(
                    easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // One byte for an empty content, since a null pointer means none.
            let result = unsafe (body.isEmpty ? [0] : body).withUnsafeBytes { bytes in
                unsafe pollard_curl_set_bytes(
                    easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
            }
            try check(result)
            try set(CURLOPT_CUSTOMREQUEST, text: hop.method.rawValue)
        } else {
            try set(CURLOPT_HTTPGET, 1)
            try set(CURLOPT_NOBODY, hop.method == .head ? 1 : 0)
            let isPlain = hop.method == .get || hop.method == .head
            try set(CURLOPT_CUSTOMREQUEST, text: isPlain ? nil : hop.method.rawValue)
        }
    }

    private func setFields(of hop: Hop) throws(NetworkError) {
        var list: UnsafeMutablePointer<curl_slist>?
        func append(_ line: String) throws(NetworkError) {
            guard let longer = unsafe curl_slist_append(list, line) else {
                unsafe curl_slist_free_all(list)
                throw NetworkError.outOfMemory
            }
            unsafe list = unsafe longer
        }
        for field in hop.fields.lines {
            // "Name:" would remove a field that libcurl sends by itself; "Name;" sends it empty.
            let isBlank = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            try append(isBlank ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if hop.contentToSend != nil {
            // libcurl would wait up to a second for "100 Continue", and name a type of its own.
            try append("Expect:")
            if hop.fields["Content-Type"] == nil { try append("Content-Type:") }
        }
        let result = unsafe pollard_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
        unsafe curl_slist_free_all(fields)
        unsafe fields = unsafe list
        try check(result)
    }

    /// Lets go of what the last request sent: a handle may be idle for days.
    func forgetContent() {
        // The null pointer makes it a POST, which the next request decides anew; it can't fail.
        _ = unsafe pollard_curl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, nil)
        _ = unsafe pollard_curl_set_list(easy, CURLOPT_HTTPHEADER, nil)
        unsafe curl_slist_free_all(fields)
        unsafe fields = nil
    }

    /// libcurl's text about the last failure; empty if it has none.
    var errorDetail: String { unsafe String(cString: errorText) }

    private func set(_ option: CURLoption, _ value: Int) throws(NetworkError) {
        try check(unsafe pollard_curl_set_long(easy, option, value))
    }

    private func set(_ option: CURLoption, text: String?) throws(NetworkError) {
        try check(unsafe pollard_curl_set_text(easy, option, text))
    }

    private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) throws(NetworkError) {
        try check(unsafe pollard_curl_set_pointer(easy, option, pointer))
    }

    private func check(_ result: CURLcode) throws(NetworkError) {
        guard result != CURLE_OK else { return }
        let text = unsafe curl_easy_strerror(result).map { unsafe String(cString: $0) }
        throw NetworkError(
            .transport, "libcurl refuses an option: \(text?.lowercasedFirst ?? "unknown error")")
    }
}

extension Hop {
    /// The content, empty where the method expects some: then `Content-Length: 0` is sent
    /// (RFC 9110, 8.6).
    var contentToSend: [UInt8]? {
        if let body { return body }
        return [HTTPMethod.post, .put, .patch].contains(method) ? [] : nil
    }
}

extension Comparable {
    /// The nearest value within `range`.
    func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
