// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Synchronization
import Testing

private struct Person: Codable, Sendable, Equatable {
    var name: String
}

extension APIRequest where Response == Person {
    fileprivate static func one(id: Int) -> Self { .get("/people/\(id)") }
    fileprivate static func creation(_ person: Person) -> Self { .post("/people", .json(person)) }
}

extension APIRequest where Response == [Person] {
    fileprivate static func people(page: Int) -> Self {
        .get("/people", query: [QueryItem("page", page)])
    }
}

extension APIRequest where Response == EmptyResponse {
    fileprivate static func removal(id: Int) -> Self { .delete("/people/\(id)") }
}

/// The forms in which a request can be made, and its answer be had.
@Suite struct APIRequestTests {
    private func client(_ stub: StubTransport) -> NetworkManager {
        NetworkManager(transport: stub, baseURL: "https://h", retry: .never)
    }

    // MARK: - Requests that know their answer

    @Test func `A request knows the type of its answer`() async throws {
        let stub = StubTransport { request in
            request.url.hasSuffix("page=2")
                ? .json(#"[{"name": "Ada"}]"#) : .json(#"{"name": "Ada"}"#)
        }
        let client = client(stub)
        let person = try await client.send(.one(id: 7))
        #expect(person == Person(name: "Ada"))
        #expect(try await client.send(.people(page: 2)) == [person])
        #expect(try await client.send(.creation(person)) == person)
        try await client.send(.removal(id: 7))
        let slow = APIRequest.one(id: 8).with { $0.timeouts.total = .seconds(90) }
        #expect(try await client.response(of: slow).status == 200)
        #expect(try await client.result(of: .one(id: 9)).get() == person)
        #expect(
            stub.requests.map { "\($0.method) \($0.url)" } == [
                "GET https://h/people/7", "GET https://h/people?page=2", "POST https://h/people",
                "DELETE https://h/people/7", "GET https://h/people/8", "GET https://h/people/9",
            ])
        #expect(stub.requests[2].body == Array(#"{"name":"Ada"}"#.utf8))
        #expect(stub.requests[4].timeouts.total == .seconds(90))
    }

    @Test func `Each method has its factory`() async throws {
        let stub = StubTransport(.success(HTTPResponse(status: 204)))
        let client = client(stub)
        let requests: [APIRequest<EmptyResponse>] = [
            .get("/a"), .post("/a"), .post("/a", .text("x")), .put("/a", .text("x")),
            .patch("/a", .text("x")), .delete("/a"), APIRequest(.options, "/a"),
            APIRequest(AnyEndpoint(path: "/b")),
        ]
        for request in requests { try await client.send(request) }
        #expect(
            stub.requests.map(\.method) == [
                .get, .post, .post, .put, .patch, .delete, .options, .get,
            ])
        let x = Array("x".utf8)
        #expect(stub.requests.map(\.body) == [nil, nil, x, x, x, nil, nil, nil])
    }

    // MARK: - Answers

    @Test func `An answer has its value and all that is known of it`() async throws {
        let server = try LoopbackServer { _ in .json("[1, 2]", status: 203, ["ETag": "\"a\""]) }
        defer { server.stop() }
        let client = NetworkManager(transport: try CurlTransport(), baseURL: server.url())
        let response = try await client.response(of: [Int].self, for: .path("/p"))
        #expect(response.value == [1, 2])
        #expect(response.body == Array("[1, 2]".utf8))
        #expect(response.status == 203)
        #expect(response.headers["etag"] == "\"a\"")
        #expect(response.url == server.url("/p"))
        #expect(response.timing.total > .zero)
        #expect(response.history.count == 1)
    }

    @Test(arguments: [200, 204, 205])
    func `No content is nil or an empty response, not an error`(status: Int) async throws {
        let stub = StubTransport(.success(HTTPResponse(status: status)))
        let client = client(stub)
        let person: Person? = try await client.get(.path("/p"))
        #expect(person == nil)
        let empty: EmptyResponse = try await client.delete(.path("/p"))
        #expect(empty == EmptyResponse())
        let error = await #expect(throws: NetworkError.self) {
            try await client.get(.path("/p"), as: Person.self)
        }
        #expect(
            error?.description
                == "the content is empty and can't be decoded as 'Person': "
                + "the given data was not valid JSON; "
                + "ask for an optional value if there may be none")
    }

    @Test func `An optional value is decoded if there is content, and an empty one ignores it`()
        async throws
    {
        let client = client(StubTransport { _ in .json(#"{"name": "Ada"}"#) })
        let person: Person? = try await client.get(.path("/p"))
        #expect(person == Person(name: "Ada"))
        let text = StubTransport { _ in HTTPResponse(status: 200, body: Array("done".utf8)) }
        let _: EmptyResponse = try await self.client(text).get(.path("/p"))
    }

    // MARK: - Bytes

    @Test func `Bytes go out and come back as they are`() async throws {
        let server = try LoopbackServer { request in
            [
                .respond(
                    200, ["X-Type": request["Content-Type"] ?? ""], body: request.body.reversed())
            ]
        }
        defer { server.stop() }
        let client = NetworkManager(transport: try CurlTransport(), baseURL: server.url())
        let bytes: [UInt8] = [0, 255, 13, 10]
        let body = HTTPBody.bytes(bytes, contentType: "application/octet-stream")
        #expect(try await client.post(.path("/p"), body: body) == bytes.reversed())
        #expect(try await client.put(.path("/p"), body: body) == bytes.reversed())
        #expect(try await client.patch(.path("/p"), body: body) == bytes.reversed())
        #expect(try await client.bytes(for: .path("/p")) == [])
        let number: Int = try await client.post(.path("/p"), body: .text("21"))
        #expect(number == 12)
        let put: Int = try await client.put(.path("/p"), body: .json(text: "31"))
        let patched: Int = try await client.patch(.path("/p"), body: .text("41"))
        #expect([put, patched] == [13, 14])
        #expect(
            server.requests.map(\.method) == [
                "POST", "PUT", "PATCH", "GET", "POST", "PUT", "PATCH",
            ])
        #expect(server.requests[0]["Content-Type"] == "application/octet-stream")
        #expect(server.requests[4]["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test func `A decoder of one's own takes three lines`() async throws {
        struct Words: BodyDecoder {
            func decode<Value: Decodable>(_: Value.Type, from content: [UInt8]) throws -> Value {
                let words = String(decoding: content, as: UTF8.self).split(separator: " ")
                guard let value = words.map(String.init) as? Value else { throw NoWords() }
                return value
            }
        }
        struct NoWords: Error, CustomStringConvertible { let description = "only words are here" }
        var client = client(
            StubTransport(.success(HTTPResponse(status: 200, body: Array("a b".utf8)))))
        client.decoder = Words()
        #expect(try await client.get(.path("/p"), as: [String].self) == ["a", "b"])
        let error = await #expect(throws: NetworkError.self) {
            try await client.get(.path("/p"), as: Int.self)
        }
        #expect(
            error?.description
                == "the content can't be decoded as 'Int': only words are here, in 'a b'")
    }

    // MARK: - Results and completion handlers

    @Test func `An outcome can be had as a value`() async {
        let client = client(
            StubTransport(.success(.json("[1]")), .success(HTTPResponse(status: 404))))
        let first: Result<[Int], NetworkError> = await client.result(for: .path("/p"))
        #expect((try? first.get()) == [1])
        guard case .failure(let error) = await client.result([Int].self, for: .path("/p")) else {
            Issue.record("a 404 succeeded")
            return
        }
        #expect(error.status == 404)
    }

    @Test func `A completion handler is called exactly once with the outcome`() async throws {
        let client = client(StubTransport { _ in .json(#"{"name": "Ada"}"#) })
        let outcomes = Watched<[Result<Person, NetworkError>]>([])
        let handle = client.value(Person.self, for: .path("/p")) { outcome in
            outcomes.update { $0.append(outcome) }
        }
        await handle.wait()
        client.send(.one(id: 7)) { outcome in outcomes.update { $0.append(outcome) } }
        let both = try await outcomes.wait(for: "two outcomes") { $0.count >= 2 }
        for outcome in both { #expect(try outcome.get() == Person(name: "Ada")) }
        handle.cancel()
        await handle.wait()
        #expect(outcomes.value.count == 2)
    }

    @Test func `A request that is cancelled completes once, as cancelled`() async throws {
        let server = try LoopbackServer(replies: .hang)
        defer { server.stop() }
        let client = NetworkManager(transport: try CurlTransport(), baseURL: server.url())
        let outcomes = Watched<[Result<Person, NetworkError>]>([])
        let handle = client.send(.one(id: 7)) { outcome in
            outcomes.update { $0.append(outcome) }
        }
        try await server.waitForRequest()
        handle.cancel()
        handle.cancel()
        await handle.wait()
        #expect(outcomes.value.count == 1)
        guard case .failure(let error) = outcomes.value.first else {
            Issue.record("the cancelled request succeeded")
            return
        }
        #expect(error.code == .cancelled)
        #expect(error.description == "the request was cancelled")
    }
}
