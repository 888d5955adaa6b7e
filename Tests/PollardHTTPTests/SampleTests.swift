// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import PollardTestSupport
import Synchronization
import Testing

// The samples of Documentation/PollardHTTP.md, compiled and run. What stands between a line
// `// sample` and the next `// end` is a sample; the last test compares them with the page.

private struct Person: Codable, Sendable, Equatable {
    var name: String
}

private struct Report: Codable, Sendable {}

private struct Session: Codable, Sendable {
    var token: String
    var seconds: Int
}

// sample
extension APIRequest where Response == Person {
    static func person(id: Int) -> Self { .get("/people/\(id)") }
    static func create(_ person: Person) -> Self { .post("/people", .json(person)) }
}
extension APIRequest where Response == EmptyResponse {
    static func remove(id: Int) -> Self { .delete("/people/\(id)") }
}
// end

// sample
struct Logging: HTTPMiddleware {
    let write: @Sendable (String) -> Void

    func send(_ request: HTTPRequest, by next: Next) async throws(NetworkError) -> HTTPResponse {
        do {
            let response = try await next(request)
            write("\(request): \(response.status)")
            return response
        } catch {
            write("\(request): \(error)")
            throw error
        }
    }
}
// end

// sample
struct RequestIDs: HTTPMiddleware {
    func send(_ request: HTTPRequest, by next: Next) async throws(NetworkError) -> HTTPResponse {
        var request = request
        request.fields["X-Request-ID"] = UUID().uuidString
        return try await next(request)
    }
}
// end

@Suite struct SampleTests {
    private let ada = Person(name: "Ada")

    /// Answers every request with the same JSON text.
    private func stub(_ json: String = #"{"name": "Ada"}"#) -> (StubTransport, NetworkManager) {
        let stub = StubTransport { _ in .json(json) }
        return (stub, NetworkManager(transport: stub, baseURL: "https://api.example.org/v1"))
    }

    @Test func `A client is made`() throws {
        // sample
        let transport = try CurlTransport()
        var client = NetworkManager(transport: transport, baseURL: "https://api.example.org/v1")
        // end
        client.headers = ["A": "b"]
        #expect(try client.request(for: .path("/a")).url == "https://api.example.org/v1/a")
        transport.close()
    }

    @Test func `1. Get decoded JSON`() async throws {
        let (_, client) = stub(#"[{"name": "Ada"}]"#)
        // sample
        let people: [Person] = try await client.get(.path("/people"))
        // end
        #expect(people == [ada])
    }

    @Test func `2. Post a value`() async throws {
        let (stub, client) = stub()
        // sample
        let made: Person = try await client.post(.path("/people"), Person(name: "Ada"))
        // end
        #expect(made == ada)
        #expect(stub.requests[0].body == Array(#"{"name":"Ada"}"#.utf8))
    }

    @Test func `3. Query parameters`() async throws {
        let (stub, client) = stub("[]")
        // sample
        let page: [Person] = try await client.get(
            .path("/people", query: [QueryItem("page", 2), QueryItem("name", "Ada & Bob")]))
        // end
        #expect(page.isEmpty)
        #expect(
            stub.requests[0].url
                == "https://api.example.org/v1/people?page=2&name=Ada%20%26%20Bob")
    }

    @Test func `4. Header fields and a token`() async throws {
        var (stub, client) = stub()
        let token = "t"
        // sample
        client.authentication = .bearer(token)
        let person: Person = try await client.get(
            .path("/people/7", headers: ["Accept-Language": "de"]))
        // end
        #expect(person == ada)
        #expect(
            stub.requests[0].fields == ["Accept-Language": "de", "Authorization": "Bearer t"])
    }

    @Test func `5. Errors by status`() async throws {
        var client = stub().1
        client.transport = StubTransport(.success(HTTPResponse(status: 404)))
        // sample
        do { try await client.delete(.path("/people/8")) } catch {
            guard error.status == 404 else { throw error }  // It is gone already.
        }
        // end
    }

    @Test func `6. Retry`() async throws {
        var client = stub().1
        // sample
        client.retry = RetryPolicy(attempts: 5, initial: .milliseconds(200))
        client.retryBudget = RetryBudget(share: 0.1)
        // end
        #expect(client.retry.attempts == 5)
        #expect(client.retryBudget?.remaining == 10)
    }

    @Test func `7. A time limit`() async throws {
        let (stub, client) = stub()
        // sample
        let report: Report = try await client.get(
            .path("/report").with { $0.timeouts.total = .seconds(90) })
        // end
        _ = report
        #expect(stub.requests[0].timeouts.total == .seconds(90))
    }

    @Test func `8. Bytes`() async throws {
        let (stub, client) = stub("[1]")
        // sample
        let picture = try await client.bytes(for: .path("/people/7/picture"))
        try await client.put(
            .path("/people/8/picture"), body: .bytes(picture, contentType: "image/png"))
        // end
        #expect(stub.requests[1].body == Array("[1]".utf8))
    }

    @Test func `9. An outcome as a value, or by a callback`() async throws {
        let (_, client) = stub(#"[{"name": "Ada"}]"#)
        // sample
        let outcome: Result<[Person], NetworkError> = await client.result(for: .path("/people"))
        // end
        #expect(try outcome.get() == [ada])
        let lines = Watched<[String]>([])
        let print: @Sendable (Any) -> Void = { value in lines.update { $0.append("\(value)") } }
        // sample
        let handle = client.value([Person].self, for: .path("/people")) { print($0) }
        handle.cancel()
        // end
        await handle.wait()
        #expect(lines.value.count == 1)
    }

    @Test func `10. A stub in a test`() async throws {
        // sample
        let stub = StubTransport { _ in .json(#"{"name": "Ada"}"#) }
        let ada: Person = try await NetworkManager(transport: stub).get(.url("https://h/7"))
        #expect(stub.requests.map(\.url) == ["https://h/7"])
        // end
        #expect(ada == self.ada)
    }
}

extension SampleTests {
    @Test func `A set of requests`() async throws {
        let (stub, client) = stub()
        // sample
        let seventh = try await client.send(.person(id: 7))
        try await client.send(.remove(id: 8))
        // end
        #expect(seventh == ada)
        #expect(try await client.send(.create(ada)) == ada)
        #expect(stub.requests.map(\.method) == [.get, .delete, .post])
    }

    // sample
    enum PeopleAPI: Endpoint {
        case list(page: Int)
        case grant(id: Int, role: String)

        var path: URLPath {
            switch self {
            case .list: "/people"
            case .grant(let id, let role): "/people/\(id)/roles/\(role)"
            }
        }
        var queryItems: [QueryItem] {
            if case .list(let page) = self { [QueryItem("page", page)] } else { [] }
        }
        var method: HTTPMethod { if case .grant = self { .put } else { .get } }
    }
    // end

    @Test func `An enumeration of endpoints`() async throws {
        let (stub, client) = stub("[]")
        // sample
        let second: [Person] = try await client.get(PeopleAPI.list(page: 2))
        let granted = try await client.successfulResponse(
            for: PeopleAPI.grant(id: 7, role: "admin"))
        // end
        #expect(second.isEmpty && granted.status == 200)
        #expect(
            stub.requests.map { "\($0.method) \($0.url.dropFirst(26))" }
                == ["GET /people?page=2", "PUT /people/7/roles/admin"])
    }

    @Test func `All that is known of an answer`() async throws {
        let (_, client) = stub("[]")
        let lines = Watched<[String]>([])
        func print(_ values: Any...) {
            lines.update { $0.append(values.map { "\($0)" }.joined(separator: " ")) }
        }
        // sample
        let response = try await client.response(of: [Person].self, for: .path("/people"))
        print(response.value.count, response.status, response.headers["ETag"] ?? "no tag")
        for attempt in response.history { print(attempt) }  // answered 200 after 12 ms
        // end
        #expect(lines.value == ["0 200 no tag", "answered 200 after 0 ms"])
    }

    @Test func `Digest authentication`() throws {
        var (_, client) = stub()
        let secret = "s"
        // sample
        client.authentication = .digest(username: "reports", password: secret)
        // end
        let request = try client.request(for: .path("/a"))
        #expect(request.fields == [:])
        #expect(request != HTTPRequest(url: request.url))
    }

    @Test func `Client credentials`() throws {
        var (transport, client) = stub()
        let secret = "s"
        // sample
        client.tokenProvider = OAuth2ClientCredentials(
            tokenURL: "https://login.example.org/token", clientID: "reports", clientSecret: secret,
            transport: transport)
        // end
        #expect(client.tokenProvider is OAuth2ClientCredentials)
    }

    // sample
    struct Login: TokenProvider {
        let client: NetworkManager
        let password: String

        func freshToken() async throws(NetworkError) -> AccessToken {
            let session: Session = try await client.post(.path("/login"), ["password": password])
            return AccessToken(session.token, lifetime: .seconds(session.seconds))
        }
    }
    // end

    @Test func `A login`() async throws {
        let (_, client) = stub(#"{"token": "t", "seconds": 60}"#)
        let token = try await Login(client: client, password: "p").freshToken()
        #expect(token == AccessToken("t", lifetime: .seconds(60)))
    }

    @Test func `Attempts as they happen`() async throws {
        var (_, client) = stub()
        let lines = Watched<[String]>([])
        let log: @Sendable (String) -> Void = { line in lines.update { $0.append(line) } }
        client.transport = StubTransport(
            .success(HTTPResponse(status: 503, fields: ["Retry-After": "7"])),
            .success(HTTPResponse(status: 200)))
        client.environment.clock = SkippingClock()
        // sample
        client.onAttempt = { event in
            guard let delay = event.delayBeforeNext else { return }
            log("\(event.request): attempt \(event.number) failed, the next in \(delay)")
        }
        // end
        _ = try await client.response(for: .path("/a"))
        let start = "GET https://api.example.org/v1/a: attempt 1 failed, the next in"
        #expect(lines.value == ["\(start) 7.0 seconds"])
    }

    @Test func `Middleware`() async throws {
        let lines = Watched<[String]>([])
        var (stub, client) = stub()
        client.middleware = [Logging { line in lines.update { $0.append(line) } }, RequestIDs()]
        _ = try await client.response(for: .path("/a"))
        #expect(stub.requests[0].fields["X-Request-ID"]?.count == 36)
        client.transport = StubTransport(.failure(NetworkError(.tls, "no")))
        _ = await client.result(Person.self, for: .path("/b", query: [QueryItem("key", "secret")]))
        #expect(
            lines.value == [
                "GET https://api.example.org/v1/a: 200", "GET https://api.example.org/v1/b: no",
            ])
    }
}
