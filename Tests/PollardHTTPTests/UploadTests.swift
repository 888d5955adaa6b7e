// SPDX-License-Identifier: Apache-2.0
import Glibc
import PollardHTTP
import PollardTestSupport
import Testing

/// Content that is read from files while it is sent.
@Suite(.timeLimit(.minutes(2))) struct UploadTests {
    private let transport: CurlTransport
    private let directory: TemporaryDirectory

    init() throws {
        transport = try CurlTransport()
        directory = try TemporaryDirectory()
    }

    private static let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private func upload(
        _ path: String, to url: String, method: HTTPMethod = .put
    ) -> HTTPRequest {
        var request = HTTPRequest(url: url, method: method)
        request.upload = .file(path)
        return request
    }

    @Test(arguments: [HTTPMethod.put, .post, .patch])
    func `A file is sent with its length`(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer(replies: .status(204))
        let path = try directory.write(Self.content, to: "file")
        _ = try await transport.send(upload(path, to: server.url(), method: method))
        let request = server.requests[0]
        #expect(request.method == method.rawValue)
        #expect(request["Content-Length"] == "3000000")
        #expect(request["Transfer-Encoding"] == nil)
        #expect(request["Content-Type"] == nil)
        #expect(request.body == Self.content)
    }

    @Test func `An empty file is sent as one`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        let path = try directory.write("", to: "file")
        _ = try await transport.send(upload(path, to: server.url()))
        #expect(server.requests[0]["Content-Length"] == "0")
    }

    @Test func `Only what is large waits for the server's word`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        let small = try directory.write(Self.content.prefix(1 << 20), to: "small")
        let large = try directory.write(Self.content, to: "large")
        for path in [small, large] {
            _ = try await transport.send(upload(path, to: server.url()))
        }
        #expect(server.requests.map { $0["Expect"] } == [nil, "100-continue"])
        #expect(server.requests.map(\.body.count) == [1 << 20, 3_000_000])
        #expect(server.connectionCount == 1)
    }

    @Test func `An upload that was sent again, without asking, was told the first answer`()
        async throws
    {
        let server = try LoopbackServer(takesExpectations: false) { _ in
            [.respond(200, ["X-Which": "second"], body: Array("fine".utf8))]
        }
        let path = try directory.write(Self.content, to: "file")
        let response = try await transport.send(upload(path, to: server.url()))
        #expect(response.status == 200)
        #expect(response.fields["X-Which"] == "second")
        #expect(response.body == Array("fine".utf8))
        #expect(server.requests.map { $0["Expect"] } == [nil])
        #expect(server.requests[0].body == Self.content)
        let stream = try await transport.stream(upload(path, to: server.url()))
        #expect(stream.head.status == 200)
        #expect(try await stream.reduce(0) { $0 + $1.count } == 4)
    }

    @Test func `A refused upload that is not sent again is told as it is`() async throws {
        let server = try LoopbackServer(
            replies: [.respond(417, [:], body: Array("no".utf8))])
        let path = try directory.write("small", to: "file")
        let response = try await transport.send(upload(path, to: server.url()))
        #expect(response.status == 417)
        #expect(response.body == Array("no".utf8))
    }

    @Test(arguments: [307, 308])
    func `A redirect that keeps the method sends the file again`(_ status: Int) async throws {
        let other = try LoopbackServer(replies: .status(204))
        let url = other.url("/new")
        let server = try LoopbackServer(replies: .redirect(to: url, status: status))
        let path = try directory.write(Self.content.prefix(100_000), to: "file")
        let response = try await transport.send(upload(path, to: server.url()))
        #expect(response.status == 204)
        #expect(response.url == url)
        #expect(other.requests.map(\.method) == ["PUT"])
        #expect(other.requests[0].body == Array(Self.content.prefix(100_000)))
    }

    @Test func `A redirect that changes the method drops the file`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/new" ? .text("x") : .redirect(to: "/new", status: 303)
        }
        let path = try directory.write("content", to: "file")
        _ = try await transport.send(upload(path, to: server.url("/old"), method: .post))
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.map(\.text) == ["content", ""])
        #expect(server.requests[1]["Content-Length"] == nil)
    }

    @Test func `A retry sends the file again`() async throws {
        let server = try LoopbackServer(replies: .status(503), .status(204))
        let path = try directory.write(Self.content, to: "file")
        var retry = RetryPolicy()
        retry.initial = .zero
        let client = NetworkManager(transport: transport, retry: retry)
        let response = try await client.response(to: upload(path, to: server.url()))
        #expect(response.attempts == 2)
        #expect(server.requests.map { $0.body == Self.content } == [true, true])
    }

    @Test func `A kept connection that is dead costs no upload`() async throws {
        // The server closes after each answer without having said so.
        let server = try LoopbackServer { _ in [.respond(204), .close] }
        let path = try directory.write(Self.content.prefix(200_000), to: "file")
        for _ in 0..<5 {
            #expect(try await transport.send(upload(path, to: server.url())).status == 204)
        }
        #expect(server.requests.allSatisfy { $0.body.count == 200_000 })
    }

    @Test func `A request after an upload carries nothing of it`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        let path = try directory.write("file", to: "file")
        _ = try await transport.send(upload(path, to: server.url()))
        _ = try await transport.send(
            HTTPRequest(url: server.url(), method: .post, body: Array("body".utf8)))
        _ = try await transport.send(HTTPRequest(url: server.url()))
        _ = try await transport.send(upload(path, to: server.url()))
        #expect(server.requests.map(\.text) == ["file", "body", "", "file"])
        #expect(server.requests.map(\.method) == ["PUT", "POST", "GET", "PUT"])
        #expect(server.connectionCount == 1)
    }

    @Test func `A server that answers before it has all is heard`() async throws {
        let server = try LoopbackServer(
            greeting: [.respond(413, ["Connection": "close"], body: Array("too large".utf8))]
        ) { _ in .close }
        let path = try directory.write(Self.content, to: "file")
        let response = try await transport.send(upload(path, to: server.url()))
        #expect(response.status == 413)
        #expect(response.body == Array("too large".utf8))
    }

    @Test func `A file that can't be read has its path in the error`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        let none = directory.path(of: "none")
        for (path, message) in [
            (none, "cannot read '\(none)': no such file or directory"),
            (directory.path, "cannot read '\(directory.path)': it is no ordinary file"),
            ("/dev/zero", "cannot read '/dev/zero': it is no ordinary file"),
        ] {
            let error = await #expect(throws: NetworkError.self) {
                try await transport.send(upload(path, to: server.url()))
            }
            #expect(error?.code == .file)
            #expect(error?.description == message)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `A file that becomes shorter while it is sent is an error`() async throws {
        let path = directory.path(of: "file")
        // Sparse, and more than a connection holds.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(ftruncate(file, 64 << 20) == 0)
        let gate = try Gate()
        let server = try LoopbackServer(greeting: [.wait(gate)]) { _ in .status(204) }
        let request = upload(path, to: server.url())
        let task = Task { [transport] in try await transport.send(request) }
        // libcurl waits for the server's word, and then sends what the connection takes.
        try await server.wait(for: "a connection") { $0.connectionCount == 1 }
        #expect(ftruncate(file, 1000) == 0)
        close(file)
        gate.open()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .file)
        #expect(error?.description == "the file '\(path)' became shorter while it was sent")
        try await server.waitForDisconnection()
    }

    @Test func `An endpoint sends a file, or a form with one`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        let path = try directory.write("content", to: "file.txt")
        let client = NetworkManager(transport: transport, baseURL: server.url())
        var endpoint = AnyEndpoint.path("/files")
        endpoint.method = .put
        endpoint.body = .file(path, contentType: "text/plain")
        _ = try await client.successfulResponse(for: endpoint)
        endpoint.method = .post
        endpoint.body = .multipart(MultipartForm([.file("document", at: path)]))
        _ = try await client.successfulResponse(for: endpoint)
        let requests = server.requests
        #expect(requests[0].text == "content")
        #expect(requests[0]["Content-Type"] == "text/plain")
        #expect(requests[1]["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(requests[1].text.contains(#"filename="file.txt""#))
        #expect(requests[1]["Content-Length"] == "\(requests[1].body.count)")
    }

    @Test func `A body and an upload, or content of HEAD, are refused`() async throws {
        var both = upload("/etc/hostname", to: "http://127.0.0.1/")
        both.body = []
        let first = await #expect(throws: NetworkError.self) { try await transport.send(both) }
        #expect(first?.code == .invalidRequest)
        #expect(
            first?.description == "a request can't have both a body and an upload; leave one out")
        let second = await #expect(throws: NetworkError.self) {
            try await transport.send(
                upload("/etc/hostname", to: "http://127.0.0.1/", method: .head))
        }
        #expect(second?.description == "a HEAD request can't have content")
    }
}
