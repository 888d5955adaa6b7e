// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import PollardTestSupport
import Testing

/// The transport and the client against httpbin, a server that others wrote.
@Suite(.timeLimit(.minutes(2))) struct HttpbinTests {
    /// What httpbin tells of a request.
    private struct Echo: Decodable {
        var args: [String: String]?
        var data: String?
        var files: [String: String]?
        var form: [String: String]?
        var headers: [String: String]?
        var json: [String: String]?
        var method: String?
        var url: String?
        var cookies: [String: String]?
        var authenticated: Bool?
        var token: String?
        var user: String?
    }

    private let httpbin: HttpbinServer
    private let transport: CurlTransport

    init() async throws {
        httpbin = try await .shared
        transport = try CurlTransport()
    }

    private func echo(_ response: HTTPResponse) throws -> Echo {
        #expect(response.status == 200)
        return try JSONDecoder().decode(Echo.self, from: Data(response.body))
    }

    @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete])
    func `Each method arrives with its query, fields and content`(
        _ method: HTTPMethod
    ) async throws {
        var request = HTTPRequest(
            url: httpbin.url("/anything/a%20b?x=1&y=%C3%BC"), method: method,
            fields: ["X-Mine": "yes", "Content-Type": "application/json"])
        if method != .get { request.body = Array(#"{"name": "Ada"}"#.utf8) }
        let echo = try echo(try await transport.send(request))
        #expect(echo.method == method.rawValue)
        #expect(echo.args == ["x": "1", "y": "ü"])
        #expect(echo.headers?["X-Mine"] == "yes")
        #expect(echo.json == (method == .get ? nil : ["name": "Ada"]))
    }

    @Test func `HEAD gives the fields of GET`() async throws {
        let get = try await transport.send(HTTPRequest(url: httpbin.url("/bytes/1000?seed=1")))
        let head = try await transport.send(
            HTTPRequest(url: httpbin.url("/bytes/1000?seed=1"), method: .head))
        #expect(get.body.count == 1000)
        #expect(head.body == [])
        #expect(head.fields["Content-Length"] == "1000")
    }

    @Test(arguments: [200, 201, 202, 204, 304, 400, 401, 403, 404, 409, 418, 429, 500, 503])
    func `Each status is an answer`(_ status: Int) async throws {
        let response = try await transport.send(HTTPRequest(url: httpbin.url("/status/\(status)")))
        #expect(response.status == status)
    }

    @Test(arguments: ["redirect", "relative-redirect", "absolute-redirect"])
    func `Redirects are followed, as many as are allowed`(_ kind: String) async throws {
        var request = HTTPRequest(url: httpbin.url("/\(kind)/4"))
        let response = try await transport.send(request)
        #expect(response.status == 200)
        #expect(response.url == httpbin.url("/get"))
        #expect(response.redirectCount == 4)
        request.maximumRedirects = 3
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .tooManyRedirects)
        request.maximumRedirects = 0
        #expect(try await transport.send(request).status == 302)
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func `A redirect of a POST keeps the content or drops it`(
        _ status: Int, _ method: String
    ) async throws {
        let target = PercentTarget.encode(httpbin.url("/anything"))
        let request = HTTPRequest(
            url: httpbin.url("/redirect-to?status_code=\(status)&url=\(target)"), method: .post,
            fields: ["Content-Type": "text/plain"], body: Array("content".utf8))
        let echo = try echo(try await transport.send(request))
        #expect(echo.method == method)
        #expect(echo.data == (method == "POST" ? "content" : ""))
    }

    @Test func `Basic authentication is accepted, and its lack refused`() async throws {
        let client = NetworkManager(
            transport: transport, baseURL: httpbin.url(""),
            authentication: .basic(username: "ada", password: "secret"))
        let echo: Echo = try await client.get(.path("/basic-auth/ada/secret"))
        #expect(echo.authenticated == true)
        #expect(echo.user == "ada")
        let error = await #expect(throws: NetworkError.self) {
            try await client.get(.path("/basic-auth/ada/other"), as: Echo.self)
        }
        #expect(error?.response?.status == 401)
        #expect(
            error?.response?.fields["WWW-Authenticate"] == #"Basic realm="Fake Realm""#)
    }

    @Test(arguments: ["MD5", "SHA-256"])
    func `Digest authentication is accepted, and a wrong password refused`(
        _ algorithm: String
    ) async throws {
        let path: URLPath = "/digest-auth/auth/ada/secret/\(algorithm)"
        var client = NetworkManager(
            transport: transport, baseURL: httpbin.url(""),
            authentication: .digest(username: "ada", password: "secret"))
        let echo: Echo = try await client.get(.path(path))
        #expect(echo.authenticated == true)
        #expect(echo.user == "ada")
        client.authentication = .digest(username: "ada", password: "hunter2")
        let refused = client
        let error = await #expect(throws: NetworkError.self) {
            try await refused.get(.path(path), as: Echo.self)
        }
        #expect(error?.code == .server)
        #expect(error?.status == 401)
        #expect(
            error?.description
                == "the server answered 401 Unauthorized to GET "
                + httpbin.url("/digest-auth/auth/ada/secret/\(algorithm)"))
        client.authentication = nil
        #expect(try await client.response(for: .path(path)).status == 401)
    }

    @Test func `A bearer token is accepted, and its lack refused`() async throws {
        let url = httpbin.url("/bearer")
        let fields: HTTPFields = ["Authorization": "Bearer token-1"]
        let echo = try echo(try await transport.send(HTTPRequest(url: url, fields: fields)))
        #expect(echo.authenticated == true)
        #expect(echo.token == "token-1")
        #expect(try await transport.send(HTTPRequest(url: url)).status == 401)
    }

    @Test(arguments: ["gzip", "deflate", "brotli"])
    func `Compressed content is decompressed, whole and as a stream`(
        _ coding: String
    ) async throws {
        let request = HTTPRequest(url: httpbin.url("/\(coding)"))
        let response = try await transport.send(request)
        let name = ["gzip": "gzipped", "deflate": "deflated"][coding] ?? coding
        #expect(response.fields["Content-Encoding"] == (coding == "brotli" ? "br" : coding))
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text.contains(#""\#(name)": true"#))
        #expect(text.contains(#""Accept-Encoding": "gzip, deflate, br, zstd""#))
        let streamed = try await transport.stream(request).reduce([]) { $0 + $1 }
        #expect(String(decoding: streamed, as: UTF8.self).contains(#""\#(name)": true"#))
    }

    @Test func `Cookies are sent as given, and those set are to be read`() async throws {
        let request = HTTPRequest(
            url: httpbin.url("/cookies"), fields: ["Cookie": "a=1; b=2"])
        #expect(try echo(try await transport.send(request)).cookies == ["a": "1", "b": "2"])
        var setting = HTTPRequest(url: httpbin.url("/cookies/set?first=1&second=2"))
        setting.maximumRedirects = 0
        let values = try await transport.send(setting).fields[values: "Set-Cookie"].sorted()
        #expect(values == ["first=1; Path=/", "second=2; Path=/"])
    }

    @Test func `Lines come one after the other`() async throws {
        let stream = try await transport.stream(HTTPRequest(url: httpbin.url("/stream/20")))
        #expect(stream.head.fields["Transfer-Encoding"] == "chunked")
        let text = String(decoding: try await stream.reduce([]) { $0 + $1 }, as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 20)
        #expect(lines.enumerated().allSatisfy { $1.hasSuffix(#""id": \#($0)}"#) })
    }

    @Test func `The same bytes come whole, as a stream and into a file`() async throws {
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        let expected = (0..<100_000).map { letters[$0 % letters.count] }
        let request = HTTPRequest(url: httpbin.url("/range/100000?chunk_size=1000"))
        #expect(try await transport.send(request).body == expected)
        var streamed: [UInt8] = []
        for try await piece in try await transport.stream(request) { streamed += piece }
        #expect(streamed == expected)
        let directory = try TemporaryDirectory()
        var last: DownloadProgress?
        try await transport.download(request, to: directory.path(of: "file")) { last = $0 }
        #expect(try directory.read("file") == expected)
        #expect(last == DownloadProgress(receivedBytes: 100_000, totalBytes: 100_000))
        let chunked = HTTPRequest(url: httpbin.url("/stream-bytes/100000?chunk_size=1000"))
        #expect(try await transport.send(chunked).body.count == 100_000)
    }

    @Test func `What drips comes to its end, or meets the limits`() async throws {
        let request = HTTPRequest(
            url: httpbin.url("/drip?numbytes=5&duration=0.5&delay=0&code=200"))
        #expect(try await transport.send(request).body == Array("*****".utf8))
        var slow = HTTPRequest(url: httpbin.url("/drip?numbytes=4&duration=8&delay=0"))
        slow.timeouts.total = .milliseconds(500)
        let total = await #expect(throws: NetworkError.self) { try await transport.send(slow) }
        #expect(total?.timeout == .total)
        slow.timeouts.total = .seconds(30)
        slow.timeouts.idle = .milliseconds(300)
        let stream = try await transport.stream(slow)
        let idle = await #expect(throws: NetworkError.self) { for try await _ in stream {} }
        #expect(idle?.timeout == .idle)
    }

    @Test func `A delay is waited for, or not`() async throws {
        var request = HTTPRequest(url: httpbin.url("/delay/1"))
        let response = try await transport.send(request)
        #expect(response.status == 200)
        #expect(response.timing.total >= .seconds(1))
        request.timeouts.total = .milliseconds(200)
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.description == "no complete answer from \(httpbin.host) within 200 ms")
    }

    @Test func `A form with a file is understood`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("content of the file", to: "ü.txt")
        let form = MultipartForm([
            .field("title", "Größe \"2\""), .file("document", at: path, contentType: "text/plain"),
        ])
        let response = try await transport.send(
            HTTPRequest(url: httpbin.url("/post"), form: form))
        let echo = try echo(response)
        #expect(echo.form == ["title": "Größe \"2\""])
        #expect(echo.files == ["document": "content of the file"])
    }

    @Test func `A large file is uploaded whole`() async throws {
        let directory = try TemporaryDirectory()
        let text = String(repeating: "0123456789", count: 200_000)
        let path = try directory.write(text, to: "file")
        var request = HTTPRequest(
            url: httpbin.url("/put"), method: .put, fields: ["Content-Type": "text/plain"])
        request.upload = .file(path)
        let echo = try echo(try await transport.send(request))
        #expect(echo.data == text)
        #expect(echo.headers?["Content-Length"] == "2000000")
    }

    @Test func `Validators are answered with 304`() async throws {
        let first = try await transport.send(HTTPRequest(url: httpbin.url("/etag/abc")))
        #expect(first.status == 200)
        let tag = try #require(first.fields["ETag"])
        let second = try await transport.send(
            HTTPRequest(url: httpbin.url("/etag/abc"), fields: ["If-None-Match": tag]))
        #expect(second.status == 304)
        #expect(second.body == [])
    }

    @Test func `A range is a part of the content`() async throws {
        let response = try await transport.send(
            HTTPRequest(url: httpbin.url("/range/26"), fields: ["Range": "bytes=3-5"]))
        #expect(response.status == 206)
        #expect(String(decoding: response.body, as: UTF8.self) == "def")
        #expect(response.fields["Content-Range"] == "bytes 3-5/26")
    }
}

/// A URL as a query has it.
private enum PercentTarget {
    static func encode(_ url: String) -> String {
        url.replacing(":", with: "%3A").replacing("/", with: "%2F")
    }
}
