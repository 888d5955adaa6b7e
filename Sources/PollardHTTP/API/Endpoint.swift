// SPDX-License-Identifier: Apache-2.0

/// A request of an API, described by values: what it is for, what is sent, and within which limits.
///
/// Every requirement has a default, so an API is an enumeration that says only what is special:
///
/// ```swift
/// enum PersonAPI: Endpoint {
///     case list(page: Int)
///     case person(id: String)
///     case create(NewPerson)
///
///     var path: URLPath {
///         switch self {
///         case .list, .create: "/people"
///         case .person(let id): "/people/\(id)"
///         }
///     }
///     var queryItems: [QueryItem] {
///         if case .list(let page) = self { [QueryItem("page", page)] } else { [] }
///     }
///     var method: HTTPMethod { if case .create = self { .post } else { .get } }
///     var body: HTTPBody? { if case .create(let person) = self { .json(person) } else { nil } }
/// }
/// ```
///
/// Where a request goes is said by `baseURL`; if that is nil, by `scheme`, `host` and `port`; and
/// if the host is nil, by the client's base URL.
public protocol Endpoint: Sendable {
    /// An absolute http or https URL that `path` and `queryItems` are added to; nil by default.
    ///
    /// Userinfo in it is refused and a fragment dropped; its own path and query are kept.
    var baseURL: String? { get }
    /// https by default.
    var scheme: HTTPScheme { get }
    /// A name, which may have letters beyond ASCII, or an address; nil by default.
    var host: String? { get }
    /// 1 to 65535; the scheme's default port by default.
    var port: Int? { get }
    /// Added to the path of the base URL; empty by default.
    var path: URLPath { get }
    /// Added to the query of the base URL, in order; none by default.
    var queryItems: [QueryItem] { get }
    /// GET by default.
    var method: HTTPMethod { get }
    /// Header fields; each replaces the client's field of that name. None by default.
    ///
    /// Those that hold credentials follow no redirect to another origin: as in
    /// `NetworkManager.headers`, they are known by their names or by `credentialFields`.
    var headers: HTTPFields { get }
    /// The content; it sets Content-Type unless `headers` does. None by default.
    var body: HTTPBody? { get }
    /// Credentials, which replace a field of that name in `headers`; none by default.
    var authentication: HTTPAuthentication? { get }
    /// Whether the client's credentials are sent if there are none here; yes by default.
    ///
    /// They only ever go to the origin of the client's base URL. Header fields of the client's are
    /// sent either way.
    var requiresToken: Bool { get }
    /// Names of fields in `headers` that are not sent to another origin; none by default.
    ///
    /// That of `authentication` need not be named, nor one that is named as a credential, such as
    /// `X-API-Key`.
    var credentialFields: Set<String> { get }
    /// The limits of each attempt; those of `HTTPRequest.Timeouts` by default.
    var timeouts: HTTPRequest.Timeouts { get }
    /// The number of redirects followed; 10 by default.
    var maximumRedirects: Int { get }
    /// The largest content accepted, in bytes after decompression; 16 MiB by default.
    var maximumBodyBytes: Int { get }
    /// When the request is sent again; by default the client's policy.
    var retry: RetryPolicy? { get }
}

// MARK: - Defaults

extension Endpoint {
    /// None.
    public var baseURL: String? { nil }
    /// https.
    public var scheme: HTTPScheme { .https }
    /// None.
    public var host: String? { nil }
    /// The default port of the scheme.
    public var port: Int? { nil }
    /// Empty.
    public var path: URLPath { "" }
    /// None.
    public var queryItems: [QueryItem] { [] }
    /// GET.
    public var method: HTTPMethod { .get }
    /// None.
    public var headers: HTTPFields { [:] }
    /// None.
    public var body: HTTPBody? { nil }
    /// None.
    public var authentication: HTTPAuthentication? { nil }
    /// Yes.
    public var requiresToken: Bool { true }
    /// None.
    public var credentialFields: Set<String> { [] }
    /// 30 s in all, 10 s to connect.
    public var timeouts: HTTPRequest.Timeouts { HTTPRequest.Timeouts() }
    /// 10.
    public var maximumRedirects: Int { HTTPRequest.defaultMaximumRedirects }
    /// 16 MiB.
    public var maximumBodyBytes: Int { HTTPRequest.defaultMaximumBodyBytes }
    /// The client's policy.
    public var retry: RetryPolicy? { nil }
}
