// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// Digest authentication where httpbin has no words for it: what is sent to whom.
@Suite(.timeLimit(.minutes(2))) struct DigestAuthenticationTests {
    private static let challenge =
        #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256, opaque="o""#
    private static let password = "hunter2"

    private let transport: CurlTransport

    init() throws { transport = try CurlTransport() }

    /// Asks for a proof, and takes any.
    private static func guarded(
        _ reply: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply = { _ in
            .text("in")
        }
    ) throws -> LoopbackServer {
        try LoopbackServer { request in
            request["Authorization"]?.hasPrefix("Digest ") == true
                ? reply(request) : .text("who?", status: 401, ["WWW-Authenticate": challenge])
        }
    }

    private func request(
        _ url: String, _ method: HTTPMethod = .get, body: [UInt8]? = nil
    ) throws -> HTTPRequest {
        var request = HTTPRequest(url: url, method: method, body: body)
        try request.authenticate(by: .digest(username: "ada", password: Self.password))
        return request
    }

    private func text(_ response: HTTPResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    @Test func `The first answer is never the challenge, and the password is never sent`()
        async throws
    {
        let server = try Self.guarded()
        let response = try await transport.send(request(server.url("/a?b=c")))
        #expect(response.status == 200)
        #expect(text(response) == "in")
        #expect(response.fields["WWW-Authenticate"] == nil)
        #expect(server.requests.count == 2)
        #expect(server.connectionCount == 1)
        let proof = try #require(server.requests[1]["Authorization"])
        for part in [
            #"username="ada""#, #"realm="r""#, #"nonce="n""#, #"uri="/a?b=c""#,
            "algorithm=SHA-256", #"opaque="o""#, "qop=auth",
        ] {
            #expect(proof.contains(part), "\(proof)")
        }
        #expect(!proof.contains(Self.password))
    }

    @Test func `Who is not asked proves nothing`() async throws {
        let server = try LoopbackServer(replies: .text("open"))
        #expect(text(try await transport.send(request(server.url()))) == "open")
        #expect(server.requests.map { $0["Authorization"] } == [nil])
    }

    @Test
    func `The answer to content was mixed with that to the question without, where nobody asks`()
        async throws
    {
        let server = try LoopbackServer { request in
            request.body.isEmpty
                ? [.respond(204, ["X-To": "question"])]
                : .text("no", status: 500, ["X-To": "content"])
        }
        let directory = try TemporaryDirectory()
        var upload = try request(server.url(), .put)
        upload.upload = .file(try directory.write("content", to: "file"))
        for request in [try request(server.url(), .post, body: [1]), upload] {
            let response = try await transport.send(request)
            #expect(response.status == 500)
            #expect(response.fields[values: "X-To"] == ["content"])
            #expect(text(response) == "no")
            let stream = try await transport.stream(request)
            #expect(stream.head.status == 500)
        }
        #expect(
            server.requests.map(\.body.isEmpty) == [
                true, false, true, false, true, false, true, false,
            ])
    }

    @Test func `A server that asks for the password in clear gets nothing`() async throws {
        let server = try LoopbackServer(
            replies: .text("who?", status: 401, ["WWW-Authenticate": #"Basic realm="r""#]))
        let response = try await transport.send(request(server.url()))
        #expect(response.status == 401)
        #expect(text(response) == "who?")
        #expect(server.requests.map { $0["Authorization"] } == [nil])
    }

    @Test func `A proof that is refused is the answer, whole and as a stream`() async throws {
        let server = try LoopbackServer { request in
            let isProved = request["Authorization"] != nil
            return .text(
                isProved ? "no" : "who?", status: 401, ["WWW-Authenticate": Self.challenge])
        }
        let response = try await transport.send(request(server.url()))
        #expect(response.status == 401)
        #expect(text(response) == "no")
        let stream = try await transport.stream(request(server.url()))
        #expect(stream.head.status == 401)
        #expect(try await stream.reduce([]) { $0 + $1 } == Array("no".utf8))
        #expect(server.requests.count == 4)
        let empty = try LoopbackServer(replies: .status(401, ["WWW-Authenticate": Self.challenge]))
        #expect(try await transport.stream(request(empty.url())).head.status == 401)
        #expect(try await transport.send(request(empty.url(), .head)).status == 401)
    }

    @Test func `A stream begins with the answer, not with the challenge`() async throws {
        let server = try Self.guarded { _ in .chunked(["one", "two"]) }
        let stream = try await transport.stream(request(server.url()))
        #expect(stream.head.status == 200)
        #expect(try await stream.reduce([]) { $0 + $1 } == Array("onetwo".utf8))
    }

    @Test func `The content of a challenge doesn't count, nor its coding`() async throws {
        let large = String(repeating: "x", count: 2000)
        let server = try LoopbackServer { request in
            if request["Authorization"] != nil { return .text("in") }
            return .text(
                large, status: 401,
                ["WWW-Authenticate": Self.challenge, "Content-Encoding": "unknown"])
        }
        var request = try request(server.url())
        request.maximumBodyBytes = 10
        #expect(text(try await transport.send(request)) == "in")
    }

    @Test func `Content is sent once, with the proof`() async throws {
        let server = try Self.guarded { .text($0.text) }
        let response = try await transport.send(
            request(server.url(), .post, body: Array("content".utf8)))
        #expect(text(response) == "content")
        #expect(server.requests.map(\.text) == ["", "content"])
        let directory = try TemporaryDirectory()
        let content = String(repeating: "0123456789", count: 10_000)
        var upload = try request(server.url(), .put)
        upload.upload = .file(try directory.write(content, to: "file"))
        #expect(text(try await transport.send(upload)) == content)
        #expect(server.requests.map(\.text) == ["", "content", "", content])
        #expect(server.requests.map(\.method) == ["POST", "POST", "PUT", "PUT"])
    }

    @Test func `A redirect to another origin takes no proof along, also if that one asks`()
        async throws
    {
        let other = try Self.guarded()
        let server = try Self.guarded { _ in .redirect(to: other.url("/")) }
        let response = try await transport.send(request(server.url()))
        #expect(response.status == 401)
        #expect(response.url == other.url("/"))
        #expect(server.requests.count == 2)
        #expect(other.requests.map { $0["Authorization"] } == [nil])
        // Nor is it proved again on the way back.
        let back = try LoopbackServer { _ in .redirect(to: server.url("/end")) }
        let start = try Self.guarded { _ in .redirect(to: back.url("/")) }
        #expect(try await transport.send(request(start.url())).status == 401)
    }

    @Test func `A redirect within the origin is asked again and proved again`() async throws {
        let server = try Self.guarded { $0.path == "/" ? .redirect(to: "/end") : .text("end") }
        let response = try await transport.send(request(server.url()))
        #expect(text(response) == "end")
        #expect(response.redirectCount == 1)
        #expect(server.requests.map { $0["Authorization"] != nil } == [false, true, false, true])
    }

    @Test func `What libcurl knows of one server never reaches another, nor the next request`()
        async throws
    {
        let server = try Self.guarded()
        #expect(try await transport.send(request(server.url())).status == 200)
        // Without credentials: to the same, and to others that ask in every way.
        #expect(try await transport.send(HTTPRequest(url: server.url())).status == 401)
        let other = try LoopbackServer(
            replies: .status(
                401, ["WWW-Authenticate": Self.challenge, "Www-Authenticate": #"Basic realm="r""#]))
        #expect(try await transport.send(HTTPRequest(url: other.url())).status == 401)
        #expect(server.requests.last?["Authorization"] == nil)
        // With others: nothing is proved before the server asks.
        var request = HTTPRequest(url: other.url())
        try request.authenticate(by: .digest(username: "bob", password: "other"))
        #expect(try await transport.send(request).status == 401)
        #expect(other.requests.count >= 2)
        #expect(other.requests.prefix(2).allSatisfy { $0["Authorization"] == nil })
        #expect(
            other.requests.allSatisfy { $0["Authorization"]?.contains(#"username="ada""#) != true })
    }

    @Test func `A challenge that is too old is answered anew, but not for ever`() async throws {
        let server = try LoopbackServer { request in
            request.number > 2
                ? .text("in")
                : .status(
                    401,
                    ["WWW-Authenticate": #"\#(Self.challenge), stale=\#(request.number == 2)"#])
        }
        #expect(text(try await transport.send(request(server.url()))) == "in")
        #expect(server.requests.count == 3)
        let endless = try LoopbackServer(
            replies: .status(401, ["WWW-Authenticate": "\(Self.challenge), stale=true"]))
        let error = await #expect(throws: NetworkError.self) {
            try await transport.send(request(endless.url()))
        }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.description
                == "\(endless.authority) asks for digest authentication again and again")
        #expect(endless.requests.count == 5)
    }

    @Test func `A client proves to the origin of its base URL only`() async throws {
        let (server, other) = (try Self.guarded(), try Self.guarded())
        let client = NetworkManager(
            transport: transport, baseURL: server.url(""),
            authentication: .digest(username: "ada", password: Self.password))
        #expect(try await client.response(for: .path("/a")).status == 200)
        #expect(try await client.response(for: .path("/a")).attempts == 1)
        #expect(try await client.response(for: .url(other.url())).status == 401)
        #expect(other.requests.map { $0["Authorization"] } == [nil])
    }

    @Test func `Credentials of another kind take the place of those before`() async throws {
        let server = try LoopbackServer { .text($0["Authorization"] ?? "none") }
        var request = try request(server.url())
        try request.authenticate(by: .bearer("t"))
        #expect(text(try await transport.send(request)) == "Bearer t")
        try request.authenticate(by: .digest(username: "ada", password: Self.password))
        #expect(text(try await transport.send(request)) == "none")
        request.fields["Authorization"] = "Bearer t"
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message
                == "a request can't have both digest authentication and an 'Authorization' field; "
                + "leave one out")
    }

    @Test(arguments: [
        ("a\n", "s", "the user name has a control character"),
        ("a", "s\r", "the password has a control character"),
    ])
    func `Credentials that can't be sent are refused`(
        _ username: String, _ password: String, _ message: String
    ) {
        var request = HTTPRequest(url: "http://h/")
        let error = #expect(throws: NetworkError.self) {
            try request.authenticate(by: .digest(username: username, password: password))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == message)
    }

    @Test func `The password is in no description, dump or error, and in no queue`() async throws {
        let server = try LoopbackServer(
            replies: .json(
                #"{"error": "hunter2 is wrong"}"#, status: 401,
                ["WWW-Authenticate": Self.challenge]))
        let authentication = HTTPAuthentication.digest(username: "ada", password: Self.password)
        let client = NetworkManager(
            transport: transport, baseURL: server.url(""), authentication: authentication)
        let error = await #expect(throws: NetworkError.self) {
            try await client.successfulResponse(for: .path("/a"))
        }
        #expect(error?.code == .server)
        #expect(error?.status == 401)
        #expect("\(authentication)" == "digest authentication")
        var texts = ["\(authentication)", error?.description ?? ""]
        for value in [authentication, try request(server.url())] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            texts += [dumped, String(reflecting: value)]
        }
        #expect(texts.allSatisfy { !$0.contains(Self.password) }, "\(texts)")

        let directory = try TemporaryDirectory()
        let queue = try DeferredRequests(directory: directory.path(of: "queue"))
        let deferred = try await queue.append(request(server.url()))
        #expect(deferred.request == HTTPRequest(url: server.url()).keyed(like: deferred.request))
    }

    @Test func `An answer to a proof is not kept for others`() async throws {
        let server = try Self.guarded { _ in .text("mine", ["Cache-Control": "max-age=60"]) }
        let cached = CachingTransport(transport, cache: ResponseCache())
        for _ in 0..<2 {
            #expect(text(try await cached.send(request(server.url()))) == "mine")
        }
        #expect(server.requests.count == 4)
        #expect(try await cached.send(HTTPRequest(url: server.url())).status == 401)
    }
}

extension HTTPRequest {
    /// With the key by which a server can tell repeats, if `other` has one.
    fileprivate func keyed(like other: HTTPRequest) -> HTTPRequest {
        var request = self
        if let key = other.fields["Idempotency-Key"] { request.fields["Idempotency-Key"] = key }
        return request
    }
}
