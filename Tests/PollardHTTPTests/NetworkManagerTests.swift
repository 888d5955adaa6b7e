// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import Testing

/// The client over a transport that answers as told, with a clock that doesn't sleep.
@Suite struct NetworkManagerTests {
    private struct Person: Codable, Sendable, Equatable {
        var name: String
    }

    /// Draws the highest value: each delay is its bound.
    private struct HighestGenerator: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    private let clock = SkippingClock()

    private func client(_ transport: StubTransport, retry: RetryPolicy = RetryPolicy())
        -> NetworkManager
    {
        var environment = RetryEnvironment()
        environment.clock = clock
        environment.now = { 784_111_777 }
        environment.makeGenerator = { HighestGenerator() }
        return NetworkManager(
            transport: transport, baseURL: "https://h", retry: retry, environment: environment)
    }

    private func failure(_ code: NetworkError.Code) -> Result<HTTPResponse, NetworkError> {
        .failure(NetworkError(code, "it failed"))
    }

    // MARK: - Attempts

    @Test func `Any status is an answer, with the URL and one attempt`() async throws {
        let stub = StubTransport(.success(HTTPResponse(status: 404, body: [1])))
        let response = try await client(stub).response(for: .path("/a"))
        #expect(response.status == 404)
        #expect(response.body == [1])
        #expect(response.url == "https://h/a")
        #expect(response.history == [HTTPAttempt(.answered(404))])
        #expect(response.attempts == 1)
        #expect(stub.requests == [HTTPRequest(url: "https://h/a")])
        #expect(clock.sleeps.isEmpty)
    }

    @Test func `The time of all attempts was not known but by a clock that ran while they waited`()
        async throws
    {
        var refused = NetworkError(.connect, "it failed")
        refused.timing.total = .seconds(1)
        var busy = HTTPResponse(status: 503)
        busy.timing.total = .seconds(2)
        var good = HTTPResponse(status: 200)
        good.timing.total = .seconds(3)
        let policy = RetryPolicy(attempts: 3)
        let answered = StubTransport(.failure(refused), .success(busy), .success(good))
        let response = try await client(answered, retry: policy).response(for: .path("/a"))
        // Delays of 0.5 s and 1 s.
        #expect(response.elapsed == .milliseconds(7500))
        #expect(response.timing.total == .seconds(3))
        let failed = StubTransport(.success(busy), .failure(refused))
        let error = await #expect(throws: NetworkError.self) {
            try await client(failed, retry: policy).response(for: .path("/a"))
        }
        #expect(error?.elapsed == .milliseconds(5500))
    }

    @Test func `A failed request is sent again after growing delays`() async throws {
        let stub = StubTransport(
            failure(.connect), .success(HTTPResponse(status: 503)), failure(.timeout),
            .success(HTTPResponse(status: 200)))
        let response = try await client(stub, retry: RetryPolicy(attempts: 5))
            .response(for: .path("/a"))
        #expect(response.status == 200)
        #expect(response.attempts == 4)
        #expect(stub.requests == Array(repeating: HTTPRequest(url: "https://h/a"), count: 4))
        #expect(clock.sleeps == [.milliseconds(500), .seconds(1), .seconds(2)])
    }

    @Test func `A request made before is sent as it is, and retried`() async throws {
        let stub = StubTransport(failure(.connect), .success(HTTPResponse(status: 200)))
        var client = client(stub)
        client.headers = ["X-Client": "1"]
        let request = HTTPRequest(url: "https://other/b", fields: ["A": "b"])
        #expect(try await client.response(to: request).attempts == 2)
        #expect(stub.requests == [request, request])

        let refused = StubTransport(failure(.connect))
        client.transport = refused
        await #expect(throws: NetworkError.self) {
            try await client.response(to: request, retry: RetryPolicy(attempts: 1))
        }
        #expect(refused.requests == [request])
    }

    @Test func `The last outcome stands, and says how many attempts there were`() async throws {
        let refused = StubTransport(failure(.connect))
        let error = await #expect(throws: NetworkError.self) {
            try await client(refused).response(for: .path("/a"))
        }
        #expect(error?.code == .connect)
        #expect(error?.attempts == 3)
        #expect(refused.requests.count == 3)
        let busy = StubTransport(.success(HTTPResponse(status: 503)))
        let response = try await client(busy).response(for: .path("/a"))
        #expect(response.status == 503)
        #expect(response.attempts == 3)
    }

    @Test func `Retry-After is waited for, by the clock of the environment`() async throws {
        let stub = StubTransport(
            .success(HTTPResponse(status: 429, fields: ["Retry-After": "7"])),
            .success(
                HTTPResponse(
                    status: 503, fields: ["Retry-After": "Sun, 06 Nov 1994 08:49:57 GMT"])),
            .success(HTTPResponse(status: 200)))
        #expect(try await client(stub).response(for: .path("/a")).attempts == 3)
        #expect(clock.sleeps == [.seconds(7), .seconds(20)])
    }

    @Test func `An endpoint's policy comes before the client's`() async throws {
        let stub = StubTransport(.success(HTTPResponse(status: 503)))
        var endpoint = AnyEndpoint(path: "/a")
        endpoint.retry = .never
        #expect(try await client(stub).response(for: endpoint).attempts == 1)
        endpoint.retry = RetryPolicy(attempts: 2, retriesUnsafeMethods: true)
        endpoint.method = .post
        #expect(try await client(stub).response(for: endpoint).attempts == 2)
    }

    @Test func `Nothing is sent for a request that can't be made`() async throws {
        let stub = StubTransport(.success(HTTPResponse(status: 200)))
        let error = await #expect(throws: NetworkError.self) {
            try await client(stub).response(for: .url("ftp://h/"))
        }
        #expect(error?.code == .invalidURL)
        #expect(error?.attempts == 0)
        #expect(stub.requests.isEmpty)
    }

    @Test func `Cancelling ends the wait between attempts, and keeps the last failure`()
        async throws
    {
        let stub = StubTransport { _ throws(NetworkError) in
            cancelCurrentTask()
            throw NetworkError(.connect, "refused")
        }
        let client = client(stub)
        let task = Task { try await client.response(for: .path("/a")) }
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.attempts == 1)
        #expect(error?.description == "the request was cancelled before attempt 2: refused")
        #expect(stub.requests.count == 1)
    }

    @Test func `A cancelled task sends nothing to a stub`() async throws {
        let stub = StubTransport(.success(HTTPResponse(status: 200)))
        let client = client(stub)
        let task = Task {
            cancelCurrentTask()
            return try await client.response(for: .path("/a"))
        }
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(stub.requests.isEmpty)
    }

    // MARK: - Values

    @Test func `Each verb sends its method and content, and gives the value`() async throws {
        let ada = Person(name: "Ada")
        let content = Array(#"{"name":"Ada"}"#.utf8)
        let stub = StubTransport { _ in .json(#"{"name": "Ada"}"#) }
        let client = client(stub)
        #expect(try await client.get(.path("/p"), as: Person.self) == ada)
        #expect(try await client.post(.path("/p"), ada, as: Person.self) == ada)
        #expect(try await client.put(.path("/p"), ada, as: Person.self) == ada)
        let patched: Person = try await client.patch(.path("/p"), ada)
        let deleted: Person = try await client.delete(.path("/p"))
        #expect(patched == ada && deleted == ada)
        #expect(stub.requests.map(\.method) == [.get, .post, .put, .patch, .delete])
        #expect(stub.requests.map(\.body) == [nil, content, content, content, nil])
        let types = stub.requests.map { $0.fields["Content-Type"] }
        #expect(types == [nil] + Array(repeating: "application/json", count: 3) + [nil])
    }

    @Test func `A verb without a value takes any content`() async throws {
        let stub = StubTransport(.success(HTTPResponse(status: 204)))
        let client = client(stub)
        try await client.post(.path("/p"), Person(name: "Ada"))
        try await client.put(.path("/p"), Person(name: "Ada"))
        try await client.patch(.path("/p"), Person(name: "Ada"))
        try await client.delete(.path("/p"))
        #expect(stub.requests.map(\.method) == [.post, .put, .patch, .delete])
    }

    @Test(arguments: [
        (199, "199"), (300, "300 Multiple Choices"), (304, "304 Not Modified"),
        (400, "400 Bad Request"), (404, "404 Not Found"), (500, "500 Internal Server Error"),
    ])
    func `A status other than 2xx is a server error with the answer`(
        status: Int, text: String
    ) async throws {
        let stub = StubTransport(.success(.json(#"{"e": 1}"#, status: status)))
        let error = await #expect(throws: NetworkError.self) {
            try await client(stub, retry: .never).get(.path("/p"), as: Person.self)
        }
        #expect(error?.code == .server)
        #expect(error?.message == #"the server answered \#(text) to GET https://h/p: '{"e": 1}'"#)
        #expect(error?.status == status)
        #expect(error?.response?.body == Array(#"{"e": 1}"#.utf8))
        #expect(error?.attempts == 1)
    }

    @Test(arguments: [
        (
            #"[{"name": "a"}, {"nam": "b"}]"#, "[1].name",
            #"[1].name: there is no such key, in '{"nam": "b"}'"#
        ),
        (#"[{"name": null}]"#, "[0].name", "[0].name: null instead of 'String', in 'null'"),
        (
            #"[{"name": [1]}]"#, "[0].name",
            "[0].name: no 'String': expected to decode String but found an array instead, in '[1]'"
        ),
        ("<html>\n <p>Hello", "", "the given data was not valid JSON, in '<html> <p>Hello'"),
        (
            "", "",
            "the given data was not valid JSON; ask for an optional value if there may be none"
        ),
    ])
    func `What can't be decoded says where and why`(
        json: String, path: String, cause: String
    ) async throws {
        let stub = StubTransport(.success(.json(json)))
        let error = await #expect(throws: NetworkError.self) {
            try await client(stub).get(.path("/p"), as: [Person].self)
        }
        #expect(error?.code == .decoding)
        let empty = json.isEmpty ? " is empty and" : ""
        #expect(error?.message == "the content\(empty) can't be decoded as 'Array<Person>'")
        let failure = try #require(error?.underlying as? CodingFailure)
        #expect(failure.underlying is DecodingError)
        #expect(failure.path == path)
        #expect(error?.response?.body == Array(json.utf8))
        #expect(error?.description == "\(error?.message ?? ""): \(cause)")
    }

    @Test func `Other formats need only their encoder and decoder`() async throws {
        let list = Array(try PropertyListEncoder().encode(Person(name: "Ada")) as Data)
        let stub = StubTransport(.success(HTTPResponse(status: 200, body: list)))
        var client = client(stub)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        client.encoder = encoder
        client.decoder = PropertyListDecoder()
        let person: Person = try await client.post(.path("/p"), Person(name: "Bob"))
        #expect(person == Person(name: "Ada"))
        #expect(stub.requests[0].fields["Content-Type"] == "application/x-plist")
        #expect(
            String(decoding: stub.requests[0].body ?? [], as: UTF8.self).contains(
                "<string>Bob</string>"))
    }
}

/// Cancels the task that calls it.
func cancelCurrentTask() {
    unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
}
