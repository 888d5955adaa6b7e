// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

// The samples of Deferring.md and Transferring.md, and one of Testing.md, each as it stands there:
// `CatalogTests` compares them. A real server is at the other end.

@Suite(.timeLimit(.minutes(2))) struct TransferSamples {
    private let temporary: TemporaryDirectory
    private let server: LoopbackServer
    private let client: NetworkManager
    private let shown = Watched<[String]>([])

    init() throws {
        temporary = try TemporaryDirectory()
        server = try LoopbackServer { request in
            switch request.path {
            case "/log": .chunked(["one\nt", "wo\n"])
            case "/notes": .status(201)
            case "/refused": .status(409)
            default: .text(request.method == "GET" ? "a,b\n" : request.text)
            }
        }
        client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(""), retry: .never)
    }

    private func show(_ line: String) { shown.update { $0.append(line) } }

    // MARK: - Deferring

    @Test func `A note is sent, or kept and sent later`() async throws {
        func sample(
            _ client: NetworkManager, _ directory: String
        ) async throws -> DeferredRequests {
            let queue = try DeferredRequests(directory: directory)
            let note = AnyEndpoint(path: "/notes").with { request in
                request.method = .post
                request.body = .json(["text": "milk"])
            }
            switch try await queue.send(note, using: client) {
            case .answered(let response): print("sent, and answered \(response.status)")
            case .deferred(let request): print("kept as number \(request.id)")
            }
            return queue
        }
        #expect(try await sample(client, temporary.path(of: "online")).pending.isEmpty)
        var offline = client
        offline.transport = StubTransport(.failure(NetworkError(.connect, "connection refused")))
        let queue = try await sample(offline, temporary.path(of: "offline"))
        #expect(await queue.pending.map(\.id) == [1])

        func deliver(_ queue: DeferredRequests, using client: NetworkManager) async throws {
            while true {
                let replay = try await queue.replay(using: client)
                print("\(replay.delivered) sent, \(replay.failed) refused, \(replay.end)")
                try await Task.sleep(for: replay.retryAfter ?? .seconds(60))
            }
        }
        let events = await queue.events()
        let client = client
        let task = Task { try await deliver(queue, using: client) }
        for await event in events { if case .delivered = event { break } }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(await queue.pending.isEmpty)
        #expect(server.requests.map(\.text) == Array(repeating: #"{"text":"milk"}"#, count: 2))
    }

    @Test func `What was refused is sent again or dropped, and told`() async throws {
        func isWorthIt(_ request: DeferredRequest) -> Bool { request.id == 1 }
        let queue = try DeferredRequests(directory: temporary.path(of: "queue"))
        let task = Task {
            for await event in await queue.events() {
                switch event {
                case .deferred(let request): show("\(request.id) waits")
                case .delivered(let request, let response):
                    show("\(request.id): \(response.status)")
                case .postponed(let request), .failed(let request):
                    show("\(request.id): \(request.lastCause ?? "")")
                case .dropped(let request): show("\(request.id) is gone")
                }
            }
        }
        // The task may begin later than what it is to see: until then, events go by.
        while shown.value.isEmpty {
            let request = HTTPRequest(url: server.url("/notes"), method: .post, body: [1])
            try await queue.drop(queue.append(request).id)
            await Task.yield()
        }
        for _ in 0..<2 {
            try await queue.append(
                HTTPRequest(url: server.url("/refused"), method: .post, body: [1]))
        }
        let ids = await queue.pending.map(\.id)
        try await queue.replay(using: client)
        for request in await queue.failed {
            print("\(request.request): \(request.lastCause ?? "no cause")")
            if isWorthIt(request) {
                try await queue.retry(request.id)
            } else {
                try await queue.drop(request.id)
            }
        }
        let last = "\(try #require(ids.last)) is gone"
        let lines = try await shown.wait(for: "the last event") { $0.contains(last) }
        #expect(lines.contains("\(ids[0]): the server answered 409"))
        task.cancel()
        _ = await task.result
    }

    // MARK: - Streams and files

    /// Makes lines of pieces.
    private struct LineSplitter {
        private var rest: [UInt8] = []

        mutating func add(_ piece: [UInt8]) -> [String] {
            let parts = (rest + piece).split(separator: 0x0A, omittingEmptySubsequences: false)
            rest = parts.last.map { Array($0) } ?? []
            return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func `Lines are shown as they come`() async throws {
        let stream = try await client.stream(.path("/log"))
        var lines = LineSplitter()
        for try await piece in stream {
            for line in lines.add(piece) { show(line) }
        }
        #expect(shown.value == ["one", "two"])
        var endless = AnyEndpoint(path: "/log")
        endless.timeouts.total = .seconds(24 * 60 * 60)
        endless.timeouts.idle = .seconds(30)
        endless.maximumBodyBytes = .max
        #expect(try await client.stream(for: endless).head.status == 200)
    }

    @Test func `A file is downloaded and uploaded`() async throws {
        let file = temporary.path(of: "today.csv")
        var export = AnyEndpoint(path: "/exports/today.csv")
        export.maximumBodyBytes = 10 << 30  // 10 GiB; 16 MiB by default
        export.timeouts.total = .seconds(3600)
        let answer = try await client.download(export, to: file) { progress in
            guard let total = progress.totalBytes, total > 0 else { return }
            show("\(100 * progress.receivedBytes / total) %")
        }
        #expect(answer.status == 200)
        #expect(try temporary.read("today.csv") == Array("a,b\n".utf8))
        #expect(shown.value == ["0 %", "100 %"])

        try await client.put(.path("/backups/today"), body: .file(file, contentType: "text/csv"))

        let form = MultipartForm([
            .field("title", "Holidays"), .file("photo", at: file, contentType: "image/jpeg"),
        ])
        try await client.post(.path("/photos"), body: .multipart(form))
        let sent = server.requests.suffix(2)
        #expect(sent.map(\.method) == ["PUT", "POST"])
        #expect(sent.first?.text == "a,b\n")
        #expect(sent.last?["Content-Type"] == form.contentType)
        #expect(sent.last?.text.contains("\r\n\r\na,b\n") == true)
    }

    @Test func `A slow stub`() async {
        let slow = StubTransport { _ in
            try await Task.sleep(for: .seconds(3600))
            return .json("[]")
        }
        let task = Task { try await slow.send(HTTPRequest(url: "https://h/")) }
        while slow.requests.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
