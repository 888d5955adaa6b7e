// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// The samples in the comments of what is on the wire, compiled and run.
@Suite struct WireExampleTests {
    private let transport: CurlTransport
    private let directory: TemporaryDirectory

    init() throws {
        transport = try CurlTransport()
        directory = try TemporaryDirectory()
    }

    @Test func `The sample of ConnectionOptions`() async throws {
        let proxy = try LoopbackServer(replies: .text("x"))
        var request = HTTPRequest(url: "http://example.invalid/")

        var options = ConnectionOptions()
        options.proxy = try ConnectionOptions.Proxy("http://127.0.0.1:\(proxy.port)")
        options.tls.certificateAuthorities = "/etc/ssl/company.pem"
        request.connection = options

        #expect(try await transport.send(request).status == 200)
    }

    @Test func `The sample of a proxy`() throws {
        let secret = "secret"
        let proxy = try ConnectionOptions.Proxy(
            "socks5://127.0.0.1:1080", username: "pollard", password: secret)
        #expect("\(proxy)" == "socks5://127.0.0.1:1080")
    }

    @Test func `The sample of HTTPStream`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        var sizes: [Int] = []
        let stream = try await transport.stream(HTTPRequest(url: server.url("/log")))
        #expect(stream.head.status == 200)
        for try await piece in stream { sizes.append(piece.count) }
        #expect(sizes == [1])
    }

    @Test func `The sample of a download`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let request = HTTPRequest(url: server.url())
        var lines: [String] = []
        let answer = try await transport.download(request, to: directory.path(of: "data.csv")) {
            progress in
            lines.append("\(progress.receivedBytes) of \(progress.totalBytes ?? 0) bytes")
        }
        #expect(answer.status == 200)
        #expect(lines == ["0 of 1 bytes", "1 of 1 bytes"])
    }

    @Test func `The sample of HTTPUpload`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        let path = try directory.write("tar", to: "today.tar")
        var request = HTTPRequest(url: server.url("/backups"), method: .put)
        request.upload = .file(path)
        #expect(try await transport.send(request).status == 204)
    }

    @Test func `The sample of MultipartForm`() async throws {
        let server = try LoopbackServer(replies: .status(204))
        let path = try directory.write("PDF", to: "report.pdf")
        let form = MultipartForm([
            .field("title", "Report"), .file("document", at: path),
        ])
        let request = try HTTPRequest(url: server.url("/reports"), form: form)
        #expect(try await transport.send(request).status == 204)
    }
}
