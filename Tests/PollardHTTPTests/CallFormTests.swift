// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import Testing

/// Calls that read well compile, and do what they say.
@Suite struct CallFormTests {
    private struct Person: Codable, Sendable, Equatable { var name: String }

    private enum PeopleAPI: Endpoint {
        case create(Person)

        var path: URLPath { "/people" }
        var body: HTTPBody? { if case .create(let person) = self { .json(person) } else { nil } }
    }

    private let stub = StubTransport { _ in .json(#"{"name": "Ada"}"#) }
    private var client: NetworkManager {
        NetworkManager(transport: stub, baseURL: "https://h")
    }
    private var calls: [String] { stub.requests.map { "\($0)" } }

    @Test func `Verbs could not be sent without content`() async throws {
        try await client.post(.path("/people/7/archive"))
        try await client.put(.path("/a"))
        try await client.patch(.path("/a"))
        let person: Person = try await client.post(.path("/b"))
        #expect(person == Person(name: "Ada"))
        #expect(try await client.put(.path("/b"), as: Person.self) == person)
        #expect(try await client.patch(.path("/b"), as: Person.self) == person)
        #expect(
            calls == [
                "POST https://h/people/7/archive", "PUT https://h/a", "PATCH https://h/a",
                "POST https://h/b", "PUT https://h/b", "PATCH https://h/b",
            ])
        #expect(stub.requests.allSatisfy { $0.body == nil && $0.fields["Content-Type"] == nil })
    }

    @Test func `A verb could not be sent with the endpoint's own content`() async throws {
        let ada = Person(name: "Ada")
        #expect(try await client.post(PeopleAPI.create(ada)) == ada)
        #expect(calls == ["POST https://h/people"])
        #expect(stub.requests[0].body == Array(#"{"name":"Ada"}"#.utf8))
        #expect(stub.requests[0].fields["Content-Type"] == "application/json")
    }

    @Test(arguments: [true, false])
    func `One of two paths is chosen`(isLong: Bool) async throws {
        _ = try await client.bytes(for: AnyEndpoint.path(isLong ? "/a/\("/")" : "/b"))
        #expect(calls == ["GET https://h/" + (isLong ? "a/%2F" : "b")])
    }

    @Test func `An identifier is a value of a path and of a query`() async throws {
        let id = try #require(UUID(uuidString: "0189D6C5-7B1E-7C3A-9F00-0123456789AB"))
        _ = try await client.bytes(for: .path("/a/\(id)/b", query: [QueryItem("id", id)]))
        let text = "0189d6c5-7b1e-7c3a-9f00-0123456789ab"
        #expect(stub.requests[0].url == "https://h/a/\(text)/b?id=\(text)")
    }

    // MARK: - Empty values

    private let none = ""

    @Test func `To delete a person without an id was to delete all people`() async throws {
        let refused: [(URLPath, String)] = [
            ("/people/\(none)", "after '/people/'"), ("/people/\(none)/roles", "after '/people/'"),
            ("\(none)", "at its beginning"), ("\(none)/a", "at its beginning"),
            ("/\(7)/\(none)\(none)", "after '/7/'"),
        ]
        for (path, place) in refused {
            let error = await #expect(throws: NetworkError.self) {
                try await client.delete(.path(path))
            }
            #expect(error?.code == .invalidURL)
            #expect(
                error?.description
                    == "the path has an empty value \(place); it would be the path of something else"
            )
        }
        #expect(stub.requests.isEmpty)
    }

    @Test func `A value may be empty where it is a part of a segment`() async throws {
        for path: URLPath in ["/a\(none)", "/\(none)a", "/\(none)\(1)", "/a-\(none)/b", "/a/"] {
            _ = try await client.bytes(for: .path(path))
        }
        #expect(
            stub.requests.map(\.url)
                == ["https://h/a", "https://h/a", "https://h/1", "https://h/a-/b", "https://h/a/"])
    }

    // MARK: - JSON that is JSON

    @Test func `JSON was sent as a property list`() async throws {
        var client = client
        client.encoder = PropertyListEncoder()
        let fixed = client
        let error = await #expect(throws: NetworkError.self) {
            try await fixed.post(.path("/a"), body: .json(Person(name: "a")))
        }
        #expect(error?.code == .encoding)
        #expect(
            error?.description
                == "the content can't be JSON: the client's encoder makes 'application/x-plist'; "
                + "give it as '.encoded(...)' to have it in that format")
        try await client.post(.path("/a"), body: .encoded(Person(name: "a")))
        #expect(stub.requests.map { $0.fields["Content-Type"] } == ["application/x-plist"])
    }

    @Test func `An encoder of a JSON format of its own makes JSON`() async throws {
        struct Merge: BodyEncoder {
            let contentType = "application/merge-patch+json; charset=utf-8"
            func encode(_ value: some Encodable) throws -> [UInt8] {
                try JSONEncoder().encode(value) as [UInt8]
            }
        }
        var client = client
        client.encoder = Merge()
        try await client.patch(.path("/a"), body: .json(Person(name: "a")))
        #expect(stub.requests[0].body == Array(#"{"name":"a"}"#.utf8))
    }

    // MARK: - A stub that takes its time

    @Test func `A stub could not be slow, nor its request cancelled`() async throws {
        let slow = StubTransport { _ in
            try await Task.sleep(for: .seconds(3600))
            return .json("[]")
        }
        let client = NetworkManager(transport: slow, baseURL: "https://h")
        let task = Task { try await client.bytes(for: .path("/a")) }
        while slow.requests.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `What a stub throws is the error, or its cause`() async {
        struct Trouble: Error {}
        for (thrown, code) in [
            (Trouble() as any Error, NetworkError.Code.transport),
            (NetworkError(.tls, "bad certificate"), .tls),
        ] {
            let stub = StubTransport { _ in throw thrown }
            let error = await #expect(throws: NetworkError.self) {
                try await stub.send(HTTPRequest(url: "https://h/"))
            }
            #expect(error?.code == code)
        }
    }
}
