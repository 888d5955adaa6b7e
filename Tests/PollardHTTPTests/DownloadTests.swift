// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PollardHTTP
import PollardTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct DownloadTests {
    private let transport: CurlTransport
    private let directory: TemporaryDirectory

    init() throws {
        transport = try CurlTransport()
        directory = try TemporaryDirectory()
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    @Test func `A file has the content, and the progress says how much is there`() async throws {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = try LoopbackServer { _ in [.respond(200, ["ETag": "\"a\""], body: content)] }
        let path = directory.path(of: "data.bin")
        var steps: [DownloadProgress] = []
        let answer = try await transport.download(HTTPRequest(url: server.url()), to: path) {
            steps.append($0)
        }
        #expect(answer.fields["ETag"] == "\"a\"")
        #expect(answer.body == [])
        #expect(try directory.read("data.bin") == content)
        #expect(try names == ["data.bin"])
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(steps.first == DownloadProgress(receivedBytes: 0, totalBytes: 3_000_000))
        #expect(steps.last == DownloadProgress(receivedBytes: 3_000_000, totalBytes: 3_000_000))
        #expect(steps.map(\.receivedBytes) == steps.map(\.receivedBytes).sorted())
        #expect(steps.count > 3)
    }

    @Test func `The size of compressed content is not known before`() async throws {
        let gzip = ContentCodingTests.codings[0]
        let server = try LoopbackServer { _ in
            [.respond(200, ["Content-Encoding": "gzip"], body: gzip.bytes)]
        }
        var steps: [DownloadProgress] = []
        try await transport.download(
            HTTPRequest(url: server.url()), to: directory.path(of: "text")
        ) { steps.append($0) }
        #expect(try directory.read("text") == Array("hello".utf8))
        #expect(
            steps == [
                DownloadProgress(receivedBytes: 0, totalBytes: nil),
                DownloadProgress(receivedBytes: 5, totalBytes: nil),
            ])
    }

    @Test func `An older file stays until the new one is complete`() async throws {
        let gate = try Gate()
        let server = try LoopbackServer { _ in
            [.head(200, ["Content-Length": "6"]), .text("new"), .wait(gate), .text("est")]
        }
        let path = try directory.write("old", to: "file")
        let half = Watched(false)
        let url = server.url()
        let task = Task { [transport] in
            try await transport.download(HTTPRequest(url: url), to: path) { progress in
                if progress.receivedBytes == 3 { half.update { $0 = true } }
            }
        }
        try await half.wait(for: "half of the file") { $0 }
        #expect(try directory.read("file") == Array("old".utf8))
        #expect(try names.count == 2)
        gate.open()
        _ = try await task.value
        #expect(try directory.read("file") == Array("newest".utf8))
        #expect(try names == ["file"])
    }

    @Test func `A download that fails or is cancelled leaves nothing behind`() async throws {
        let cut = try LoopbackServer(replies: .cut("12345", announced: 9))
        let path = try directory.write("old", to: "file")
        let error = await #expect(throws: NetworkError.self) {
            try await transport.download(HTTPRequest(url: cut.url()), to: path)
        }
        #expect(error?.code == .invalidResponse)

        let endless = try LoopbackServer(replies: .endless)
        let url = endless.url()
        let begun = Watched(false)
        let task = Task { [transport] in
            try await transport.download(HTTPRequest(url: url), to: path) { progress in
                if progress.receivedBytes > 0 { begun.update { $0 = true } }
            }
        }
        try await begun.wait(for: "some content") { $0 }
        task.cancel()
        let cancelled = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled)
        try await endless.waitForDisconnection()
        #expect(try directory.read("file") == Array("old".utf8))
        #expect(try names == ["file"])
    }

    @Test func `An answer that is no success makes no file, and tells why`() async throws {
        let server = try LoopbackServer(replies: .text("no such thing", status: 404))
        let error = await #expect(throws: NetworkError.self) {
            try await transport.download(
                HTTPRequest(url: server.url()), to: directory.path(of: "file"))
        }
        #expect(error?.code == .server)
        #expect(
            error?.description
                == "the server answered 404 Not Found to GET \(server.url()): 'no such thing'")
        #expect(error?.response?.body == Array("no such thing".utf8))
        #expect(try names == [])
    }

    @Test func `A file that can't be written has its path in the error`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let nowhere = directory.path(of: "no/file")
        let taken = directory.path(of: "directory")
        try directory.write("x", to: "directory/file")
        for (path, cause) in [
            (nowhere, "cannot write '\(nowhere)': no such file or directory"),
            (taken, "cannot write '\(taken)': is a directory"),
            ("/dev/full/", "cannot write '/dev/full/': it names no file"),
        ] {
            let error = await #expect(throws: NetworkError.self) {
                try await transport.download(HTTPRequest(url: server.url()), to: path)
            }
            #expect(error?.code == .file)
            #expect(error?.description == cause)
        }
        #expect(try names == ["directory"])
    }

    @Test func `A name that no file can have is an error when the content is there`() async throws {
        let server = try LoopbackServer(replies: .text("x"))
        let long = directory.path(of: String(repeating: "n", count: 256))
        let error = await #expect(throws: NetworkError.self) {
            try await transport.download(HTTPRequest(url: server.url()), to: long)
        }
        #expect(error?.code == .file)
        #expect(error?.description == "cannot write '\(long)': file name too long")
        #expect(try names == [])
    }

    @Test func `Through a stub, a file is written too`() async throws {
        let stub = StubTransport { _ in .json("[1]") }
        let path = directory.path(of: "file")
        try await stub.download(HTTPRequest(url: "http://stub.example/"), to: path)
        #expect(try directory.read("file") == Array("[1]".utf8))
    }

    // MARK: - What is left behind

    @Test func `What a killed download has left is removed by the next to the same file`()
        async throws
    {
        let gate = try Gate()
        let server = try LoopbackServer { request in
            request.number == 1
                ? [.head(200, ["Content-Length": "6"]), .text("new"), .wait(gate), .text("est")]
                : .text("whole")
        }
        defer { gate.open() }
        let path = directory.path(of: "file")
        let process = try Subprocess(
            ProjectFiles.executable("http-probe"), ["download", server.url(), path])
        try await process.wait(for: "half of the file") { $0.outputText.contains("received 3\n") }
        // Its writer is alive: another download to the same file leaves it alone.
        try await transport.download(HTTPRequest(url: server.url()), to: path)
        #expect(try names.count == 2)
        process.kill()
        try await process.waitForExit()
        try await transport.download(HTTPRequest(url: server.url()), to: path)
        #expect(try names == ["file"])
        #expect(try directory.read("file") == Array("whole".utf8))
    }

    @Test func `No file of anyone else is taken for what a download has left`() async throws {
        let left = ".file.0123456789abcdef.partial"
        let others = [
            ".file.csv", ".file.0123456789abcde.partial", ".file.0123456789abcdeg.partial",
            ".file.0123456789ABCDEF.partial", ".other.0123456789abcdef.partial", "file.partial",
        ]
        for name in others + [left] { try directory.write("x", to: name) }
        let server = try LoopbackServer(replies: .text("x"))
        try await transport.download(
            HTTPRequest(url: server.url()), to: directory.path(of: "file"))
        #expect(try names == (others + ["file"]).sorted())
    }
}
