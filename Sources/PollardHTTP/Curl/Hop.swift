// SPDX-License-Identifier: Apache-2.0

/// One request of the chain that a redirect makes: where it goes and what it carries.
struct Hop: Sendable {
    /// Where it goes.
    var url: RequestURL
    /// The method, which a redirect may change to GET.
    var method: HTTPMethod
    /// The fields that may be sent there.
    var fields: HTTPFields
    /// The content, which a change of method drops.
    var body: [UInt8]?
    /// Content that is read from files, instead of `body`.
    var upload: HTTPUpload?
    /// What is proved to the server if it asks.
    var digest: DigestCredentials?

    /// The hop that an answer asks for (RFC 9110, 15.4), nil if the answer is final.
    ///
    /// Followed here and not by libcurl, which keeps fields of one's own, such as an API key,
    /// on the way to another origin.
    ///
    /// - Throws: `NetworkError.Code.invalidURL` if the Location field can't be followed.
    func next(
        after status: Int, _ answer: HTTPFields, credentials: Set<String>
    ) throws(NetworkError) -> Hop? {
        guard let location = Self.location(status, answer) else { return nil }
        var next = self
        do {
            next.url = try RequestURL(location: location, from: url)
        } catch {
            throw NetworkError(
                .invalidURL, "\(url.origin) redirects to a URL that can't be followed",
                underlying: error)
        }
        if changesToGet(status) {
            next.method = .get
            next.body = nil
            next.upload = nil
            next.fields.removeAll { $0.lowercased().hasPrefix("content-") }
        }
        if next.url.origin != url.origin {
            next.digest = nil
            // The Host that the caller chose is for one origin, too.
            next.fields.removeAll { name in
                name.lowercased() == "host" || CredentialField.contains(name, named: credentials)
            }
        }
        return next
    }

    /// Where an answer redirects to; nil if it doesn't.
    ///
    /// An empty Location says nothing, as clients have it.
    static func location(_ status: Int, _ answer: HTTPFields) -> String? {
        guard [301, 302, 303, 307, 308].contains(status), let location = answer["Location"],
            !location.isEmpty
        else { return nil }
        return location
    }

    /// 303 asks for the result of what was done; 301 and 302 after POST are treated alike by
    /// every client, as the RFC notes.
    private func changesToGet(_ status: Int) -> Bool {
        switch status {
        case 303: method != .get && method != .head
        case 301, 302: method == .post
        default: false
        }
    }
}

extension NetworkError {
    /// A chain of redirects is longer than its request allows.
    ///
    /// - Parameters:
    ///   - response: The redirect that is not followed.
    ///   - request: The request.
    ///   - origin: Where the chain began.
    init(tooManyRedirects response: HTTPResponse, of request: HTTPRequest, from origin: Origin) {
        self.init(
            .tooManyRedirects, "\(origin) redirects more than \(request.maximumRedirects) times",
            hint: "look for a loop, or raise 'maximumRedirects'")
        self.response = response
        self.response?.body = []
        timing = response.timing
    }
}
