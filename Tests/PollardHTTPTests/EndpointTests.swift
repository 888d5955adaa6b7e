// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import Testing

/// What an endpoint becomes as a request.
@Suite struct EndpointTests {
    private struct Person: Codable, Sendable, Equatable {
        var name: String
    }

    /// An API as its users write it.
    private enum PersonAPI: Endpoint {
        case list(page: Int)
        case person(id: String)
        case create(Person)
        case grant(id: String, role: String)

        var path: URLPath {
            switch self {
            case .list, .create: "/people"
            case .person(let id): "/people/\(id)"
            case .grant(let id, let role): "/people/\(id)/roles/\(role)"
            }
        }

        var queryItems: [QueryItem] {
            if case .list(let page) = self { [QueryItem("page", page)] } else { [] }
        }

        var method: HTTPMethod {
            switch self {
            case .list, .person: .get
            case .create: .post
            case .grant: .put
            }
        }

        var body: HTTPBody? {
            if case .create(let person) = self { .json(person) } else { nil }
        }
    }

    private let client = NetworkManager(
        transport: StubTransport { _ in HTTPResponse(status: 200) },
        baseURL: "https://api.example.org/v1")

    private func request(for endpoint: some Endpoint) throws(NetworkError) -> HTTPRequest {
        try client.request(for: endpoint)
    }

    @Test func `An enumeration with associated values is an API`() throws {
        let list = try request(for: PersonAPI.list(page: 2))
        #expect(list == HTTPRequest(url: "https://api.example.org/v1/people?page=2"))
        let person = try request(for: PersonAPI.person(id: "a/b c"))
        #expect(person == HTTPRequest(url: "https://api.example.org/v1/people/a%2Fb%20c"))
        let create = try request(for: PersonAPI.create(Person(name: "Ada")))
        #expect(
            create
                == HTTPRequest(
                    url: "https://api.example.org/v1/people", method: .post,
                    fields: ["Content-Type": "application/json"],
                    body: Array(#"{"name":"Ada"}"#.utf8)))
        let grant = try request(for: PersonAPI.grant(id: "1", role: "admin"))
        #expect(
            grant
                == HTTPRequest(
                    url: "https://api.example.org/v1/people/1/roles/admin", method: .put))
    }

    @Test func `An endpoint's own place comes before the client's`() throws {
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.scheme = .http
        endpoint.host = "::1"
        endpoint.port = 8080
        #expect(try request(for: endpoint).url == "http://[::1]:8080/a")
        endpoint.baseURL = "https://other.example/b?c=d"
        #expect(try request(for: endpoint).url == "https://other.example/b/a?c=d")
        #expect(
            try request(for: .url("http://h/x", query: [QueryItem("a", "b")])).url
                == "http://h/x?a=b")
    }

    @Test func `Without any place the error says so`() {
        let error = #expect(throws: NetworkError.self) {
            try NetworkManager(transport: StubTransport { _ in HTTPResponse(status: 200) })
                .request(for: .path("/a"))
        }
        #expect(error?.code == .invalidURL)
        #expect(error?.message == "neither the endpoint nor the client says which host to ask")
    }

    @Test func `Limits and credential fields reach the request`() throws {
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.timeouts.total = .seconds(1)
        endpoint.timeouts.idle = .seconds(2)
        endpoint.maximumRedirects = 0
        endpoint.maximumBodyBytes = 9
        endpoint.headers = ["X-Secret": "s"]
        endpoint.credentialFields = ["X-Secret"]
        var expected = HTTPRequest(
            url: "https://api.example.org/v1/a", fields: ["X-Secret": "s"])
        expected.timeouts.total = .seconds(1)
        expected.timeouts.idle = .seconds(2)
        expected.maximumRedirects = 0
        expected.maximumBodyBytes = 9
        expected.credentialFields = ["X-Secret"]
        #expect(try request(for: endpoint) == expected)
    }

    @Test func `A field of the endpoint replaces the client's of that name`() throws {
        var client = client
        client.headers = ["Accept": "text/html", "User-Agent": "x", "accept": "text/plain"]
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.headers = ["ACCEPT": "application/json", "If-None-Match": "\"a\""]
        endpoint.headers.append("Accept", "*/*")
        #expect(
            try client.request(for: endpoint).fields
                == [
                    "User-Agent": "x", "ACCEPT": "application/json", "If-None-Match": "\"a\"",
                    "Accept": "*/*",
                ])
    }

    private static let contents: [(HTTPBody, String, String?)] = [
        (.json(["a": 1]), #"{"a":1}"#, "application/json"),
        (.json(text: "[1, 2]"), "[1, 2]", "application/json"),
        (.text("ä"), "ä", "text/plain; charset=utf-8"),
        (.bytes([0x61], contentType: "image/png"), "a", "image/png"),
        (.bytes([0x61], contentType: nil), "a", nil),
        (
            .form([QueryItem("a b", "c+d&e=f"), QueryItem("a b", "ü~*-._"), QueryItem("n", nil)]),
            "a+b=c%2Bd%26e%3Df&a+b=%C3%BC%7E*-._&n=", "application/x-www-form-urlencoded"
        ),
        (.form([]), "", "application/x-www-form-urlencoded"),
    ]

    @Test(arguments: contents.indices)
    func `A content has its media type, unless a field says another`(index: Int) throws {
        let (body, text, contentType) = Self.contents[index]
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.body = body
        let request = try request(for: endpoint)
        #expect(request.body == Array(text.utf8))
        #expect(request.fields == (contentType.map { ["Content-Type": $0] } ?? [:]))
        endpoint.headers = ["content-type": "x/y"]
        #expect(try self.request(for: endpoint).fields == ["content-type": "x/y"])
    }

    @Test func `A content that can't be encoded says where`() throws {
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.body = .json(["a": [1, Double.nan]])
        let error = #expect(throws: NetworkError.self) { try request(for: endpoint) }
        #expect(error?.code == .encoding)
        #expect((error?.underlying as? CodingFailure)?.path == "a[1]")
        #expect(
            error?.message
                == "the content can't be encoded from 'Dictionary<String, Array<Double>>'")
    }

    @Test(arguments: [
        (HTTPAuthentication.bearer("t0k"), "Authorization", "Bearer t0k"),
        // RFC 7617, 2 and 2.1.
        (
            .basic(username: "Aladdin", password: "open sesame"), "Authorization",
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        ),
        (.basic(username: "test", password: "123£"), "Authorization", "Basic dGVzdDoxMjPCow=="),
        (.basic(username: "", password: ":"), "Authorization", "Basic Ojo="),
        (.header(name: "X-API-Key", value: "k3y"), "X-API-Key", "k3y"),
    ])
    func `Credentials are sent in their field, which is named as one`(
        authentication: HTTPAuthentication, name: String, value: String
    ) throws {
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.authentication = authentication
        endpoint.headers = [name.lowercased(): "other"]
        let request = try request(for: endpoint)
        #expect(request.fields == [name: value])
        #expect(request.credentialFields == [name])
    }

    @Test(arguments: [
        (HTTPAuthentication.bearer("a\nb"), "the bearer token has a control character"),
        (
            .basic(username: "a:b", password: "s"),
            "the user name has a colon, which basic authentication can't"
        ),
        (.basic(username: "a\0", password: "s"), "the user name has a control character"),
        (.basic(username: "a", password: "s\r"), "the password has a control character"),
        (
            .header(name: "X-Key", value: "s\n"),
            "the value of the field 'X-Key' has a control character"
        ),
    ])
    func `Credentials that can't be sent are refused`(
        authentication: HTTPAuthentication, message: String
    ) {
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.authentication = authentication
        let error = #expect(throws: NetworkError.self) { try request(for: endpoint) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == message)
    }

    @Test func `No description or dump has a part of a secret`() throws {
        var endpoint = AnyEndpoint(path: "/a", query: [QueryItem("key", "hunter2")])
        endpoint.authentication = .header(name: "X-Key", value: "hunter2")
        let request = try request(for: endpoint)
        var texts: [String] = []
        for secret in [
            HTTPAuthentication.bearer("hunter2"), .basic(username: "hunter2", password: "hunter2"),
            .digest(username: "hunter2", password: "hunter2"),
            .header(name: "X-Key", value: "hunter2"),
        ] {
            var dumped = ""
            dump(secret, to: &dumped)
            texts += [dumped, "\(secret)", String(reflecting: secret), "\([secret])"]
        }
        var dumped = ""
        dump(request, to: &dumped)
        texts += [dumped, "\(request)", String(reflecting: request), "\([request])"]
        var response = HTTPResponse(
            status: 200, fields: ["Set-Cookie": "hunter2"], body: Array("hunter2".utf8),
            url: request.url)
        var error = NetworkError(.server, "the server answered 500")
        error.response = response
        dump(error, to: &dumped)
        texts += [dumped, "\(response)", String(reflecting: response), "\([error])"]
        #expect(texts.allSatisfy { !$0.contains("hunter2") }, "\(texts)")
        response.url = "https://h/"
        #expect("\(response)" == "200 https://h/, 7 bytes")
        #expect("\(request)" == "GET https://api.example.org/v1/a")
        #expect("\(HTTPAuthentication.bearer("x"))" == "bearer authentication")
    }

    @Test(arguments: [
        ("https://h/a?hunter2", "GET https://h/a"), ("https://h?\u{301}hunter2", "GET https://h"),
        ("https://h/a#hunter2", "GET https://h/a"),
        ("https://me:hunter2@h/a@b?c", "GET https://h/a@b"),
        ("https://me:@hunter2@h", "GET https://h"), ("hunter2@h/a", "GET h/a"), ("", "GET "),
    ])
    func `The description of a request has only the harmless parts of its URL`(
        _ url: String, _ description: String
    ) {
        #expect("\(HTTPRequest(url: url))" == description)
    }

    @Test func `The client's credentials go to its own origin only, and where they are wanted`()
        throws
    {
        var client = client
        client.authentication = .bearer("t")
        func sent(_ endpoint: some Endpoint) throws -> String? {
            try client.request(for: endpoint).fields["Authorization"]
        }
        #expect(try sent(.path("/a")) == "Bearer t")
        #expect(try sent(.url("https://API.example.org:443/b")) == "Bearer t")
        #expect(try sent(.url("http://api.example.org/b")) == nil)
        #expect(try sent(.url("https://api.example.org:444/b")) == nil)
        #expect(try sent(.url("https://other.example/b")) == nil)
        var open = AnyEndpoint(path: "/login")
        open.requiresToken = false
        #expect(try sent(open) == nil)
        open.authentication = .bearer("own")
        #expect(try sent(open) == "Bearer own")
    }
}
