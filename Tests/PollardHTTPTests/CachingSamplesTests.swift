// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// The samples of Documentation/Caching.md and of the types, compiled and run.
@Suite struct CachingSamplesTests {
    private struct Note: Codable, Sendable {
        var text: String
    }

    private enum NotesAPI: Endpoint {
        case create(Note)

        var path: URLPath { "/notes" }
        var method: HTTPMethod { .post }
        var body: HTTPBody? { if case .create(let note) = self { .json(note) } else { nil } }
    }

    @Test func `The samples of the documentation run`() async throws {
        try await withTemporaryDirectory { temporary in
            let stub = StubTransport(
                .success(.json("[]", fields: ["Cache-Control": "max-age=60"])),
                .failure(NetworkError(.connect, "it is down")), .success(.json("{}")))
            let directory = temporary.path(of: "cache")
            let cache = try ResponseCache(directory: directory)
            let client = NetworkManager(
                transport: stub, baseURL: "https://api.example.org", cache: cache)
            for outcome in [CacheOutcome.miss, .hit] {
                let response = try await client.response(for: .path("/people"))
                #expect(response.cacheOutcome == outcome)
            }

            let note = Note(text: "later")
            try await deferred(temporary.path(of: "outbox"), note, client)
        }
        let document = try ProjectFiles.text(of: "Documentation/Caching.md")
        #expect(document.contains("let cache = try ResponseCache(directory: directory)"))
        #expect(
            document.contains(
                "let outcome = try await queue.send(NotesAPI.create(note), using: client)"))
    }

    private func deferred(
        _ directory: String, _ note: Note, _ client: NetworkManager
    ) async throws {
        var client = client
        client.retry = .never
        let queue = try DeferredRequests(directory: directory)
        let outcome = try await queue.send(NotesAPI.create(note), using: client)
        if case .answered = outcome { Issue.record("it is not deferred") }

        let replay = try await queue.replay(using: client)
        #expect(replay.delivered == 1)
        #expect(await queue.pending.isEmpty)
    }

    @Test func `A transport of one's own is wrapped`() async throws {
        let stub = StubTransport { _ in
            HTTPResponse(status: 200, fields: ["Cache-Control": "max-age=60"])
        }
        let cached = CachingTransport(stub, cache: ResponseCache())
        let response = try await cached.send(HTTPRequest(url: "https://example.org/"))
        #expect(response.cacheOutcome == .miss)
        #expect(response.fields["Age"] ?? "new" == "new")
    }
}
