// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// What becomes of a deferred request after each outcome, as `Documentation/Caching.md` says.
@Suite struct DeferredVerdictTests {
    private let outbox: Outbox

    init() throws { outbox = try Outbox() }

    /// The names of all codes, and the codes, as the sources declare them.
    private static func codes() throws -> [String: NetworkError.Code] {
        let declaration = #/public static let (\w+) = (?:NetworkError\.)?Code\(rawValue: "(.+)"\)/#
        var codes: [String: NetworkError.Code] = [:]
        for path in [
            "Errors/NetworkError", "Files/OwnedDirectory", "Deferred/DeferredRequests+Sending",
        ] {
            let text = try ProjectFiles.text(of: "Sources/PollardHTTP/\(path).swift")
            for match in text.matches(of: declaration) {
                codes[String(match.1)] = NetworkError.Code(rawValue: String(match.2))
            }
        }
        return codes
    }

    /// What the table of the documentation says, by the name of the code.
    private static func table() throws -> [String: String] {
        let row = #/\| `(\w+)` \| \*(\w+)\* \|/#
        let text = try ProjectFiles.text(of: "Documentation/Caching.md")
        return Dictionary(
            text.matches(of: row).map { (String($0.1), String($0.2)) },
            uniquingKeysWith: { first, _ in first })
    }

    private func word(_ verdict: DeferredVerdict) -> String {
        switch verdict {
        case .delivered: "delivered"
        case .postponed(_, let isCounted): isCounted ? "passing" : "offline"
        case .failed: "failed"
        case .cancelled: "unchanged"
        }
    }

    @Test func `Every code of an error has its row in the table, and ends as that says`() throws {
        let codes = try Self.codes()
        #expect(codes.count > 15)
        let verdicts = codes.mapValues { code in
            word(DeferredVerdict(.failure(NetworkError(code, "it failed"))))
        }
        #expect(verdicts == (try Self.table()))
    }

    @Test func `Only what nobody took is deferred, and the rest is the caller's`() async throws {
        let table = try Self.table()
        for (name, code) in try Self.codes() {
            let queue = try DeferredRequests(directory: outbox.path)
            let stub = StubTransport(.failure(NetworkError(code, "it failed")))
            let isKept = ["offline", "passing"].contains(table[name])
            let outcome = await Task { try await queue.send(.note("a"), using: stub) }.result
            #expect(((try? outcome.get()) != nil) == isKept, "\(name)")
            #expect(await queue.pending.count == (isKept ? 1 : 0), "\(name)")
            for request in await queue.pending { try await queue.drop(request.id) }
        }
    }

    @Test(arguments: [
        (200, "delivered"), (204, "delivered"), (303, "delivered"), (304, "delivered"),
        (301, "passing"), (302, "passing"), (307, "passing"), (308, "passing"), (400, "failed"),
        (401, "failed"), (404, "failed"), (408, "passing"), (422, "failed"), (425, "passing"),
        (429, "passing"), (500, "passing"), (503, "passing"),
    ])
    func `Every answer ends as the table says`(status: Int, expected: String) {
        let response = HTTPResponse(status: status)
        #expect(word(DeferredVerdict(.success(response))) == expected)
        // The same where a transport throws it.
        guard status >= 400 else { return }
        var error = NetworkError(.server, "the server answered \(status)")
        error.response = response
        #expect(word(DeferredVerdict(.failure(error))) == expected)
        let token = NetworkError(.server, "cannot get a token", underlying: error)
        #expect(word(DeferredVerdict(.failure(token))) == expected)
    }

    @Test func `A wrong client secret does not hold up the queue for ever`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/token"
                ? .json(#"{"error": "invalid_client"}"#, status: 401) : .status(201)
        }
        defer { server.stop() }
        var configured = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(), retry: .never)
        configured.tokenProvider = OAuth2ClientCredentials(
            tokenURL: server.url("/token"), clientID: "id", clientSecret: "wrong",
            transport: try CurlTransport())
        let client = configured
        let queue = try DeferredRequests(directory: outbox.path)
        let endpoint = AnyEndpoint(path: "/notes").with { $0.method = .post }
        let error = await #expect(throws: NetworkError.self) {
            try await queue.send(endpoint, using: client)
        }
        #expect(error?.code == .authentication)
        #expect(await queue.pending.isEmpty)

        // One that was kept before fails for good, and those that need no token go on.
        for path in ["a", "b"] {
            var other = client
            other.transport = StubTransport.down()
            other.tokenProvider = nil
            let waiting = endpoint.with {
                $0.path = "\(path)"
                $0.requiresToken = path == "a"
            }
            _ = try await queue.send(waiting, using: other)
        }
        let replay = try await queue.replay(using: client)
        #expect(replay == DeferredRequests.Replay(delivered: 1, failed: 1))
        #expect(await queue.failed.first?.lastCause?.contains("invalid_client") == true)
    }

    @Test func `What answers no HTTP holds up the others for a while only`() async throws {
        var limits = DeferredRequests.Limits()
        limits.maximumServerErrors = 2
        let queue = try DeferredRequests(directory: outbox.path, limits: limits)
        for name in ["a", "b"] { try await queue.append(.note(name)) }
        let stub = StubTransport(
            .failure(NetworkError(.nameLookup, "no network")),
            .failure(NetworkError(.invalidResponse, "it is no HTTP")),
            .failure(NetworkError(.nameLookup, "no network")),
            .failure(NetworkError(.invalidResponse, "it is no HTTP")),
            .success(HTTPResponse(status: 200)))
        for _ in 1...3 { #expect(try await queue.replay(using: stub).end == .postponed) }
        let last = try await queue.replay(using: stub)
        #expect(last == DeferredRequests.Replay(delivered: 1, failed: 1))
        #expect(await queue.failed.map(\.attempts) == [4])
    }
}
