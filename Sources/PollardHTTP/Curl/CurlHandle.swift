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

    /// How servers are reached.
    let connection: ConnectionOptions

    /// Whether libcurl keeps something of a server in it that no other may see.
    private(set) var isSpent = false

    private let errorText: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var destination: UnsafeMutablePointer<curl_slist>?
    /// How long a connection may be unused; nil before it is set.
    private var connectionAge: Duration?
    /// How long an address is used for new connections; nil before it is set.
    private var addressAge: Duration?

    /// Makes a handle with the options that all requests of a pool share.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks an option.
    init(
        _ configuration: CurlTransport.Configuration, _ connection: ConnectionOptions
    ) throws(NetworkError) {
        self.connection = connection
        guard let easy = unsafe curl_easy_init() else { throw NetworkError.outOfMemory }
        unsafe self.easy = unsafe easy
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try setConstantOptions(configuration)
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(fields)
        unsafe curl_slist_free_all(destination)
        unsafe errorText.deallocate()
    }

    private func setConstantOptions(
        _ configuration: CurlTransport.Configuration
    ) throws(NetworkError) {
        try unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_NOPROGRESS, 1)
        // Without it, giving up a name lookup waits for the resolver, and all requests with it.
        try set(CURLOPT_QUICK_EXIT, 1)
        try setConnection()
        try set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        // Followed by Hop, which knows what may go to another origin.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_ACCEPT_ENCODING, text: ContentDecoding.acceptEncoding)
        // Decoded by ContentDecoding, which notices a stream that ends early.
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        try set(CURLOPT_USERAGENT, text: configuration.userAgent)
        try setCallbacks()
    }

    /// Sets how long connections and addresses are kept.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func setAges(_ limits: CurlTransport.Limits) throws(NetworkError) {
        if limits.maximumConnectionAge != connectionAge {
            connectionAge = limits.maximumConnectionAge
            try set(CURLOPT_MAXAGE_CONN, limits.maximumConnectionAge.wholeSeconds(from: 1))
        }
        if limits.maximumAddressAge != addressAge {
            addressAge = limits.maximumAddressAge
            try set(CURLOPT_DNS_CACHE_TIMEOUT, limits.maximumAddressAge.wholeSeconds(from: 0))
        }
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
        try unsafe set(CURLOPT_READDATA, pointer: user)
        try unsafe set(CURLOPT_SEEKDATA, pointer: user)
        try setDestination(of: hop)
        try set(CURLOPT_CONNECTTIMEOUT_MS, connect)
        let isSecure = hop.url.origin.isSecure
        // libcurl before 8.0 breaks off a request that uses such a connection again, or joins it.
        let isAlone = connection.version == .http2 && !isSecure
        try set(CURLOPT_FRESH_CONNECT, isFresh || isAlone ? 1 : 0)
        try set(CURLOPT_FORBID_REUSE, transfer.request.keepsConnection && !isAlone ? 0 : 1)
        // Only TLS can tell that requests may share a connection, and so be worth the wait.
        try set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
        try set(CURLOPT_CERTINFO, isSecure ? 1 : 0)
        try setFields(of: hop, transfer.uploadSource)
        if let credentials = hop.digest { try set(credentials) }
        try setMethodAndBody(of: hop, transfer.uploadSource)
    }

    /// Has libcurl prove who asks.
    ///
    /// It would keep the server's challenge, and begin with an answer to it wherever the handle is
    /// used next.
    private func set(_ credentials: DigestCredentials) throws(NetworkError) {
        isSpent = true
        try set(CURLOPT_HTTPAUTH, pollard_curl_auth_digest)
        try set(CURLOPT_USERNAME, text: credentials.username)
        try set(CURLOPT_PASSWORD, text: credentials.password)
        // Each proof counts as a redirect.
        try set(CURLOPT_MAXREDIRS, Self.maximumProofs)
    }

    /// How often a server may say that its challenge was too old (`stale`; RFC 7616, 3.3): once is
    /// usual, and one that always says so would never come to an end.
    private static let maximumProofs = 4

    /// Sends these header lines, which replace those of the last request.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func sendLines(_ lines: [String]) throws(NetworkError) {
        let list = try unsafe Self.list(lines)
        let result = unsafe pollard_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
        unsafe curl_slist_free_all(fields)
        unsafe fields = unsafe list
        try check(result)
    }

    /// Connects to another host than the URL names: `HOST:PORT:OTHER_HOST:OTHER_PORT`.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory.
    func connect(to rule: String) throws(NetworkError) {
        let list = try unsafe Self.list([rule])
        let result = unsafe pollard_curl_set_list(easy, CURLOPT_CONNECT_TO, list)
        unsafe curl_slist_free_all(destination)
        unsafe destination = unsafe list
        try check(result)
    }

    private static func list(
        _ lines: [String]
    ) throws(NetworkError) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = unsafe curl_slist_append(list, line) else {
                unsafe curl_slist_free_all(list)
                throw NetworkError.outOfMemory
            }
            unsafe list = unsafe longer
        }
        return unsafe list
    }

    /// Lets a paused transfer go on; may call back with content at once.
    func unpause() { unsafe curl_easy_pause(easy, CURLPAUSE_CONT) }

    /// Lets go of what the last request sent: a handle may be idle for days.
    func forgetContent() {
        // The null pointer makes it a POST, which the next request decides anew; it can't fail.
        _ = unsafe pollard_curl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, nil)
        _ = unsafe pollard_curl_set_list(easy, CURLOPT_HTTPHEADER, nil)
        _ = unsafe pollard_curl_set_pointer(easy, CURLOPT_CURLU, nil)
        _ = unsafe pollard_curl_set_text(easy, CURLOPT_URL, nil)
        unsafe curl_slist_free_all(fields)
        unsafe fields = nil
    }

    /// libcurl's text about the last failure; empty if it has none.
    var errorDetail: String { unsafe String(cString: errorText) }

    /// Sets a number.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks the option.
    func set(_ option: CURLoption, _ value: Int) throws(NetworkError) {
        try check(unsafe pollard_curl_set_long(easy, option, value))
    }

    /// Sets a text, which libcurl copies; nil is its null pointer.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks the option.
    func set(_ option: CURLoption, text: String?) throws(NetworkError) {
        try check(unsafe pollard_curl_set_text(easy, option, text))
    }

    /// Sets what a callback is given, or a place for results.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks the option.
    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) throws(NetworkError) {
        try check(unsafe pollard_curl_set_pointer(easy, option, pointer))
    }

    /// Turns a refusal into an error.
    ///
    /// - Throws: `NetworkError.Code.transport` if libcurl has no memory or lacks the option.
    func check(_ result: CURLcode) throws(NetworkError) {
        guard result != CURLE_OK else { return }
        let text = unsafe curl_easy_strerror(result).map { unsafe String(cString: $0) }
        throw NetworkError(
            .transport, "libcurl refuses an option: \(text?.lowercasedFirst ?? "unknown error")")
    }
}

extension Comparable {
    /// The nearest value within `range`.
    func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}

extension Duration {
    /// As libcurl takes it: an int of seconds, rounded up.
    fileprivate func wholeSeconds(from least: Int64) -> Int {
        let (seconds, rest) = components
        return Int((seconds + (rest > 0 ? 1 : 0)).clamped(to: least...Int64(Int32.max)))
    }
}
