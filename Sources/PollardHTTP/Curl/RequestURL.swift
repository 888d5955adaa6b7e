// SPDX-License-Identifier: Apache-2.0
internal import CCurl

/// A URL that libcurl's own parser accepted, so that both see the same host.
struct RequestURL: Sendable {
    /// The whole URL as it is sent, without userinfo.
    let text: String
    /// Whom it names.
    let origin: Origin
    /// The same as libcurl takes it, so that it is parsed once.
    let parts: URLParts

    /// Parses an absolute URL.
    ///
    /// - Throws: `NetworkError.Code.invalidURL`; the message quotes at most scheme and host.
    init(_ text: String) throws(NetworkError) {
        let parts = try URLParts()
        try parts.set(CURLUPART_URL, to: text, flags: 0)
        if parts.get(CURLUPART_USER) != nil || parts.get(CURLUPART_PASSWORD) != nil {
            throw NetworkError(
                .invalidURL,
                "the URL holds a user name or password; send them in the Authorization field")
        }
        self.text = try parts.encodesHost() ? parts.whole() : text
        self.parts = parts
        origin = try parts.origin()
    }

    /// Resolves the reference of a Location field against `base` (RFC 3986, 5).
    ///
    /// Bytes that a URL can't hold are percent-encoded, as every client does. Userinfo is
    /// dropped: a server doesn't choose the credentials of a request.
    ///
    /// - Throws: `NetworkError.Code.invalidURL` if the result is no http or https URL.
    init(location: String, from base: RequestURL) throws(NetworkError) {
        let parts = try URLParts()
        try parts.set(CURLUPART_URL, to: base.text, flags: 0)
        let lenient = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME)
        try parts.set(CURLUPART_URL, to: location, flags: lenient)
        parts.clear(CURLUPART_USER)
        parts.clear(CURLUPART_PASSWORD)
        _ = try parts.encodesHost()
        origin = try parts.origin()
        text = try parts.whole()
        self.parts = parts
    }
}

/// Where a proxy is, as its URL says.
struct ProxyURL {
    /// The protocol, in lower case.
    let scheme: String
    /// A name, or an address; that of IPv6 in brackets.
    let host: String
    /// The port.
    let port: Int

    /// Parses the URL of a proxy, which has nothing but scheme, host and port.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest`; the message quotes nothing of the URL.
    init(_ text: String) throws(NetworkError) {
        let parts = try URLParts()
        do {
            try parts.set(CURLUPART_URL, to: text, flags: UInt32(CURLU_NON_SUPPORT_SCHEME))
        } catch {
            throw NetworkError(
                .invalidRequest, "the proxy's URL can't be used", underlying: error)
        }
        if parts.get(CURLUPART_USER) != nil || parts.get(CURLUPART_PASSWORD) != nil {
            throw NetworkError(
                .invalidRequest,
                "the proxy's URL holds a user name or password; give them apart from it")
        }
        guard let scheme = parts.get(CURLUPART_SCHEME), let host = parts.get(CURLUPART_HOST),
            !host.isEmpty, let port = parts.get(CURLUPART_PORT).flatMap({ Int($0) })
        else {
            throw NetworkError(
                .invalidRequest, "the proxy's URL needs a host and a port, as in http://host:3128")
        }
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
    }
}

extension RequestURL {
    /// The same URL with another host, without user name and password.
    ///
    /// - Throws: `NetworkError.Code.invalidURL` if there can be no such URL.
    func text(withHost host: String) throws(NetworkError) -> String {
        let parts = try URLParts()
        try parts.set(CURLUPART_URL, to: text, flags: 0)
        try parts.set(CURLUPART_HOST, to: host, flags: 0)
        return try parts.whole()
    }
}

/// libcurl's parsed URL.
///
/// Unchecked, since the compiler can't know that nobody changes it once it is made: from then on
/// libcurl copies it, for each request anew.
@safe final class URLParts: @unchecked Sendable {
    /// The handle itself, for the easy interface only.
    let handle: OpaquePointer

    fileprivate init() throws(NetworkError) {
        guard let handle = unsafe curl_url() else { throw NetworkError.outOfMemory }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe curl_url_cleanup(handle) }

    fileprivate func set(_ part: CURLUPart, to text: String, flags: UInt32) throws(NetworkError) {
        guard !text.utf8.contains(0) else {
            throw NetworkError(.invalidURL, "the URL holds a NUL byte")
        }
        let result = unsafe curl_url_set(handle, part, text, flags)
        if result == CURLUE_BAD_SCHEME {
            throw NetworkError(
                .invalidURL, "the URL has no scheme; begin it with https:// or http://")
        }
        guard result == CURLUE_OK else {
            throw NetworkError(.invalidURL, "the URL can't be used: \(Self.text(of: result))")
        }
    }

    fileprivate func clear(_ part: CURLUPart) { _ = unsafe curl_url_set(handle, part, nil, 0) }

    fileprivate func get(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text
        else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    /// The URL as one text.
    fileprivate func whole() throws(NetworkError) -> String {
        guard let text = get(CURLUPART_URL) else {
            throw NetworkError(.invalidURL, "the URL can't be put together")
        }
        return text
    }

    /// Puts a host with letters beyond ASCII into the form in which it is sent, since libcurl may
    /// be built without IDN.
    ///
    /// - Returns: Whether there was something to do.
    /// - Throws: `NetworkError.Code.invalidURL` with the host.
    fileprivate func encodesHost() throws(NetworkError) -> Bool {
        guard let host = get(CURLUPART_HOST), !host.utf8.allSatisfy({ $0 < 0x80 }) else {
            return false
        }
        try set(CURLUPART_HOST, to: URLHost.canonical(host), flags: 0)
        return true
    }

    fileprivate func origin() throws(NetworkError) -> Origin {
        let scheme = get(CURLUPART_SCHEME) ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw NetworkError(
                .invalidURL, "the URL's scheme is '\(scheme)'; only http and https can be used")
        }
        guard let host = get(CURLUPART_HOST), !host.isEmpty,
            let port = get(CURLUPART_PORT, flags: UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) })
        else { throw NetworkError(.invalidURL, "the URL names no host") }
        return Origin(isSecure: scheme == "https", host: host.lowercased(), port: port)
    }

    private static func text(of result: CURLUcode) -> String {
        guard let text = unsafe curl_url_strerror(result) else { return "malformed" }
        return unsafe String(cString: text).lowercasedFirst
    }
}
