// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PollardHTTP
import PollardTestSupport
import Testing

/// Deferred requests with a real server that is down and comes up, and a process that is killed.
@Suite struct DeferredRequestsServerTests {
    private struct Note: Codable, Sendable {
        var text: String
    }

    private let directory: TemporaryDirectory
    private var path: String { directory.path(of: "outbox") }

    init() throws { directory = try TemporaryDirectory() }

    private func endpoint(_ text: String) -> AnyEndpoint {
        var endpoint = AnyEndpoint(path: "/notes/ü", query: [QueryItem("q", "a&b")])
        endpoint.method = .post
        endpoint.body = .json(Note(text: text))
        return endpoint
    }

    /// Sends what is for one server to another port.
    private struct Rerouted: HTTPTransport {
        var transport: CurlTransport
        var from: String
        var to: String

        func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
            var other = request
            other.url = request.url.replacing(from, with: to)
            return try await transport.send(other)
        }
    }

    @Test func `A request is sent when the server is up, with the token of then`() async throws {
        let server = try LoopbackServer { _ in .status(201) }
        defer { server.stop() }
        let refusing = try RefusingPort()
        let queue = try DeferredRequests(directory: path)
        let transport = Rerouted(
            transport: try CurlTransport(), from: server.authority,
            to: "127.0.0.1:\(refusing.port)")
        var client = NetworkManager(
            transport: transport, baseURL: server.url("/v1"), headers: ["X-App": "1"],
            authentication: .bearer("old"), retry: .never)
        for text in ["a", "b"] {
            guard case .deferred = try await queue.send(endpoint(text), using: client) else {
                Issue.record("the server was reached")
                return
            }
        }
        withExtendedLifetime(refusing) {}
        client.transport = try CurlTransport()
        client.authentication = .bearer("new")
        let replay = try await queue.replay(using: client)
        #expect(replay.delivered == 2)
        #expect(server.requests.map(\.text) == [#"{"text":"a"}"#, #"{"text":"b"}"#])
        let request = server.requests[0]
        #expect(request.target == "/v1/notes/%C3%BC?q=a%26b")
        #expect(request.fields[values: "Authorization"] == ["Bearer new"])
        #expect(request.fields[values: "Content-Type"] == ["application/json"])
        #expect(request.fields[values: "X-App"] == ["1"])
        #expect(request["Idempotency-Key"] != server.requests[1]["Idempotency-Key"])
    }

    @Test func `Credentials of an endpoint are refused, since they would be lost`() async throws {
        let queue = try DeferredRequests(directory: path)
        var own = endpoint("a")
        own.authentication = .bearer("mine")
        let client = NetworkManager(transport: StubTransport { _ in .json("{}") })
        let endpoint = own
        let error = await #expect(throws: NetworkError.self) {
            try await queue.send(endpoint, using: client)
        }
        #expect(
            error?.description
                == "the endpoint has credentials of its own, which are not kept; "
                + "give them to the client")
    }

    // MARK: - Crashes

    @Test(arguments: ["write PLDEFER2", "sync .draft", "rename .request"])
    func `A crash while a request is deferred loses none before it`(call: String) async throws {
        let library = try await TestProgram.trip.compiled()
        // A request that is deferred syncs its file once, and the directory.
        let trip = Trip(.kill, at: call, call, call)
        let run = try await Subprocess.run(
            ProjectFiles.executable("http-probe"), ["defer", path, "10", "https://h/"],
            environment: trip.environment(library: library))
        #expect(run.status == .signalled(SIGKILL))
        #expect(run.outputText == "deferred 1\ndeferred 2\n")
        let queue = try DeferredRequests(directory: path)
        #expect(await queue.pending.map(\.id) == [1, 2])
        #expect(await queue.damagedFiles.isEmpty)
    }

    @Test func `A failed attempt is not noted before the note is on the disk`() async throws {
        let refusing = try RefusingPort()
        defer { withExtendedLifetime(refusing) {} }
        let url = "http://127.0.0.1:\(refusing.port)/"
        let probe = try ProjectFiles.executable("http-probe")
        _ = try await Subprocess.run(probe, ["defer", path, "1", url])
        let library = try await TestProgram.trip.compiled()
        // The directory is synced after the file has taken its place: the draft alone is not enough.
        for (calls, attempts) in [
            (["sync .draft"], 0), (["sync .draft", "rename .request", "sync outbox"], 1),
        ] {
            let run = try await Subprocess.run(
                probe, ["replay", path],
                environment: Trip(.kill, at: calls).environment(library: library))
            #expect(run.status == .signalled(SIGKILL))
            let queue = try DeferredRequests(directory: path)
            #expect(await queue.pending.map(\.attempts) == [attempts])
            #expect(await queue.damagedFiles.isEmpty)
        }
    }

    @Test func `A relative directory stays where it was when the program goes elsewhere`()
        async throws
    {
        let server = try LoopbackServer { _ in .status(201) }
        defer { server.stop() }
        let run = try await Subprocess.run(
            ProjectFiles.executable("http-probe"),
            ["wander", directory.path, "outbox", server.url()])
        #expect(run.outputText == "delivered 1\n")
        let queue = try DeferredRequests(directory: path)
        #expect(await queue.pending.isEmpty)
        #expect(try await queue.append(HTTPRequest(url: server.url())).id == 2)
    }

    @Test func `A crash at any moment loses no deferred request`() async throws {
        var first: UInt64 = 1
        for count in [1, 7, 30] {
            let process = try Subprocess(
                ProjectFiles.executable("http-probe"), ["defer", path, "1000", "https://h/"])
            try await process.wait(for: "requests") { result in
                result.outputText.split(separator: "\n").count >= count
            }
            process.kill()
            let kept = try await process.waitForExit().outputText.split(separator: "\n").count
            let queue = try DeferredRequests(directory: path)
            let pending = await queue.pending
            #expect((kept...kept + 1).contains(pending.count))
            #expect(pending.map(\.id) == pending.indices.map { first + UInt64($0) })
            first += UInt64(pending.count)
            #expect(await queue.damagedFiles.isEmpty)
            for request in pending { try await queue.drop(request.id) }
        }
    }

    @Test func `A crash before the answer sends the request again with the same key`() async throws
    {
        let server = try LoopbackServer { request in request.number == 2 ? .hang : .status(201) }
        defer { server.stop() }
        let probe = try ProjectFiles.executable("http-probe")
        let made = try await Subprocess.run(probe, ["defer", path, "3", server.url()])
        #expect(made.status == .exited(0))
        let process = try Subprocess(probe, ["replay", path])
        try await server.waitForRequest(2)
        process.kill()
        try await process.waitForExit()
        let again = try await Subprocess.run(probe, ["replay", path])
        #expect(again.outputText == "delivered 2\n")
        #expect(server.requests.map(\.text) == ["note 1", "note 2", "note 2", "note 3"])
        let keys = server.requests.map { $0["Idempotency-Key"] }
        #expect(keys[1] == keys[2])
        #expect(Set(keys).count == 3)
        #expect(server.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test func `A process that is still there keeps others out`() async throws {
        let server = try LoopbackServer { _ in .hang }
        defer { server.stop() }
        let probe = try ProjectFiles.executable("http-probe")
        _ = try await Subprocess.run(probe, ["defer", path, "1", server.url()])
        let process = try Subprocess(probe, ["replay", path])
        try await server.waitForRequest()
        let other = try await Subprocess.run(probe, ["replay", path])
        #expect(other.status != .exited(0))
        #expect(other.errorText.contains("is in use by another process or object"))
        process.kill()
        try await process.waitForExit()
        let queue = try DeferredRequests(directory: path)
        #expect(await queue.pending.count == 1)
    }
}
