// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

// The samples of README.md, the documentation catalog and doc comments, each as it stands there:
// `CatalogTests` compares them.

@Suite struct DocumentationSamples {
    private let transport = StubTransport { request in
        switch request.method {
        case .post: .json(#"{"id": 1, "name": "Ada"}"#)
        default: .json(#"[{"id": 1, "name": "Ada"}]"#, fields: ["ETag": "\"a\""])
        }
    }
    private var client: NetworkManager {
        NetworkManager(transport: transport, baseURL: "https://h", retry: .never)
    }

    // MARK: - README and front page

    @Test func `The front page gets and posts`() async throws {
        let client = NetworkManager(transport: transport, baseURL: "https://api.example.org/v1")
        let people: [Person] = try await client.get(.path("/people", query: [QueryItem("page", 1)]))
        let ada: Person = try await client.post(.path("/people"), Person(id: 1, name: "Ada"))
        #expect(people == [ada])
        #expect(
            transport.requests.map(\.url) == [
                "https://api.example.org/v1/people?page=1", "https://api.example.org/v1/people",
            ])
    }

    @Test func `The sample of the README makes a transport of libcurl`() async throws {
        func sample() async throws -> [Person] {
            let client = NetworkManager(
                transport: try CurlTransport(), baseURL: "https://api.example.org/v1")
            let people: [Person] = try await client.get(
                .path("/people", query: [QueryItem("page", 1)]))
            return people
        }
        let task = Task {
            cancelCurrentTask()
            return try await sample()
        }
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `Errors are told apart by the answer`() async {
        func name(_ client: NetworkManager) async -> String {
            do throws(NetworkError) {
                let person: Person = try await client.get(PersonAPI.person(7))
                return person.name
            } catch {
                return error.status == 404 ? "nobody" : error.description
            }
        }
        let missing = StubTransport(.success(HTTPResponse(status: 404)))
        #expect(await name(NetworkManager(transport: missing, baseURL: "https://h")) == "nobody")
    }

    @Test func `An answer of any status can be had`() async throws {
        let response = try await client.response(for: .path("/people/7"))
        print(response.status, response.fields["ETag"] ?? "no tag", response.timing.total)
        #expect(response.status == 200)
    }

    // MARK: - Retrying

    @Test func `A client has a policy, and an endpoint its own`() async throws {
        var client = NetworkManager(
            transport: transport, baseURL: "https://api.example.org",
            retry: RetryPolicy(attempts: 5, initial: .milliseconds(200), maximum: .seconds(10)))
        var report = AnyEndpoint(path: "/report")
        report.retry = .never
        client.retryBudget = RetryBudget()
        client.transport = StubTransport(.success(HTTPResponse(status: 503)))
        do throws(NetworkError) {
            let response = try await client.successfulResponse(for: report)
            print("after \(response.attempts) attempts")
        } catch {
            print("\(error), after \(error.attempts) attempts")
        }
        #expect(try client.request(for: report).url == "https://api.example.org/report")
    }

    @Test func `A policy can be asked without sending anything`() {
        var generator = SystemRandomNumberGenerator()
        let busy = HTTPResponse(status: 503, fields: ["Retry-After": "7"])
        let decision = RetryPolicy().decision(
            after: .success(busy), to: .get, attempt: 1, now: 0, using: &generator)
        #expect(decision == .retry(after: .seconds(7)))
    }

    @Test func `Attempts are told as they happen`() async throws {
        var client = client
        client.transport = StubTransport(.failure(NetworkError(.connect, "connection refused")))
        let lines = Watched<[String]>([])
        let log: @Sendable (String) -> Void = { line in lines.update { $0.append(line) } }
        client.onAttempt = { event in
            switch event.stage {
            case .started: log("attempt \(event.number) of \(event.request)")
            case .ended(.success(let response), delayBeforeNext: nil):
                log("answered \(response.status)")
            case .ended(_, let delay?): log("again in \(delay): \(event)")
            case .ended(.failure(let error), delayBeforeNext: nil): log("given up: \(error)")
            }
        }
        _ = await client.result([Person].self, for: .path("/people"))
        #expect(
            lines.value == ["attempt 1 of GET https://h/people", "given up: connection refused"])
    }

    // MARK: - Observing and caching

    @Test @MainActor func `A model and a directory load people`() async throws {
        let model = PeopleModel(client: client)
        await model.appear()
        #expect(model.people.value == [Person(id: 1, name: "Ada")])
        let directory = Directory(client: client)
        #expect(try await directory.everyone() == [Person(id: 1, name: "Ada")])
        #expect(try await directory.everyone().count == 1)
        #expect(transport.requests.count == 2)
    }

    @Test func `Polls can be iterated`() async {
        let client = client
        let task = Task {
            func show(_ people: [Person]) {
                #expect(people == [Person(id: 1, name: "Ada")])
                cancelCurrentTask()
            }
            let polls = client.values(
                of: PersonAPI.list(page: 1), as: [Person].self, every: .seconds(30))
            for await people in polls { show(try people.get()) }
            return true
        }
        #expect((try? await task.value) == true)
        #expect(transport.requests.count == 1)
    }

    @Test func `A difference is told and applied`() {
        let loaded = [Person(id: 2, name: "Bert"), Person(id: 3, name: "Cy")]
        var shown = [Person(id: 1, name: "Ada"), Person(id: 2, name: "Bob")]
        let difference = ListDifference(from: shown, to: loaded)
        for step in difference.steps {
            switch step {
            case .delete(let person, let index): print("\(person.name) left place \(index)")
            case .move(let person, let from, let to):
                print("\(person.name) went from \(from) to \(to)")
            case .insert(let person, let index): print("\(person.name) came to place \(index)")
            case .update(_, let person, let index): print("place \(index) is now \(person.name)")
            }
        }
        shown.apply(difference)
        #expect(shown == loaded)
    }

    @Test func `A table takes the steps of a difference`() {
        let table = Table()
        let (shown, loaded) = (table.shown, [Person(id: 1, name: "Ada")])
        let difference = ListDifference(from: shown, to: loaded)
        for step in difference.steps { table.perform(step) }  // or: shown.apply(difference)
        #expect(table.shown == loaded)
    }

    @Test func `A value is kept with its time`() async {
        let latest = Latest<[Person]>(client, PersonAPI.list(page: 1))
        await latest.load()
        if let people = latest.value, let time = latest.lastUpdated {
            print("\(people.count) people as of \(time)")
        }
        if let error = latest.error { print("not newer, since \(error)") }
        #expect(latest.value?.count == 1)
    }

    @Test func `One request can be conditional`() async throws {
        var client = client
        let known = try await client.response(for: PersonAPI.list(page: 1))
        let unchanged = StubTransport(.success(HTTPResponse(status: 304)))
        client.transport = unchanged
        var request = AnyEndpoint(PersonAPI.list(page: 1))
        request.headers["If-None-Match"] = known.fields["ETag"]
        let answer = try await client.response(for: request)
        let current = answer.status == 304 ? known : answer
        #expect(current == known)
        #expect(unchanged.requests[0].fields["If-None-Match"] == "\"a\"")
    }

    @Test func `A client has a cache`() async throws {
        let temporary = try TemporaryDirectory()
        defer { temporary.remove() }
        let directory = temporary.path(of: "cache")
        let transport = StubTransport { _ in
            .json("[]", fields: ["Cache-Control": "max-age=60"])
        }
        let cache = try ResponseCache(directory: directory)
        let client = NetworkManager(
            transport: transport, baseURL: "https://api.example.org", cache: cache)
        for _ in 1...2 {
            let response = try await client.response(for: .path("/people"))
            if response.cacheOutcome == .hit { print("not asked again") }
        }
        #expect(transport.requests.count == 1)
        for _ in 1...2 {
            var request = AnyEndpoint(PersonAPI.list(page: 1))
            request.headers["Cache-Control"] = "no-cache"
            let people: [Person] = try await client.get(request)
            #expect(people == [])
        }
        #expect(transport.requests.count == 3)
    }

    @Test func `A request knows what is loaded or polled`() async throws {
        let request = APIRequest<[Person]>.get("/people", query: [QueryItem("page", 1)])
        let latest = Latest(client, request)
        #expect(try await latest.load().get() == [Person(id: 1, name: "Ada")])
        var polls = client.values(of: request, every: .seconds(30)).makeAsyncIterator()
        #expect(try await polls.next()?.get() == [Person(id: 1, name: "Ada")])
        #expect(
            transport.requests.map(\.url) == ["https://h/people?page=1", "https://h/people?page=1"])
    }

    // MARK: - Testing

    @Test func `A stub answers and keeps requests`() async throws {
        let stub = StubTransport { _ in .json(#"{"id": 7, "name": "Ada"}"#) }
        let client = NetworkManager(transport: stub, baseURL: "https://api.example.org")

        let person: Person = try await client.get(PersonAPI.person(7))

        #expect(person == Person(id: 7, name: "Ada"))
        #expect(stub.requests.map(\.url) == ["https://api.example.org/people/7"])
    }

    @Test func `A stub decides by the request`() async throws {
        let stub = StubTransport { request throws(NetworkError) in
            guard request.method == .get else { throw NetworkError(.connect, "connection refused") }
            return HTTPResponse(status: request.url.hasSuffix("/7") ? 200 : 404)
        }
        #expect(try await stub.send(HTTPRequest(url: "https://h/7")).status == 200)
        #expect(try await stub.send(HTTPRequest(url: "https://h/8")).status == 404)
        await #expect(throws: NetworkError.self) {
            try await stub.send(HTTPRequest(url: "https://h/7", method: .delete))
        }
    }

    @Test func `A stub answers in turn`() async throws {
        let clock = SkippingClock()
        let stub = StubTransport(
            .failure(NetworkError(.connect, "connection refused")),
            .success(HTTPResponse(status: 503, fields: ["Retry-After": "7"])),
            .success(.json("[]")))
        var environment = RetryEnvironment()
        environment.clock = clock
        let client = NetworkManager(
            transport: stub, baseURL: "https://api.example.org", environment: environment)

        let response = try await client.response(for: PersonAPI.list(page: 1))

        #expect(response.attempts == 3)
    }
}

// MARK: - The types of the samples

extension DocumentationSamples {
    struct Person: Codable, Identifiable, Hashable, Sendable {
        let id: Int
        var name: String
    }

    enum PersonAPI: Endpoint {
        case list(page: Int)
        case person(Person.ID)

        var path: URLPath {
            switch self {
            case .list: "/people"
            case .person(let id): "/people/\(id)"
            }
        }

        var queryItems: [QueryItem] {
            if case .list(let page) = self { [QueryItem("page", page)] } else { [] }
        }
    }

    @MainActor final class PeopleModel {
        let people: Latest<[Person]>

        init(client: some APIClient) { people = Latest(client, PersonAPI.list(page: 1)) }

        func appear() async { await people.load() }
    }

    actor Directory {
        private let people: Latest<[Person]>

        init(client: some APIClient) { people = Latest(client, PersonAPI.list(page: 1)) }

        func everyone() async throws(NetworkError) -> [Person] {
            if let known = people.value { return known }
            return try await people.load().get()
        }
    }

    /// A view that shows people, or one that takes steps.
    final class Table {
        private(set) var shown: [Person] = []
        func perform(_ step: ListDifference<Person>.Step) { shown.apply(step) }
    }
}
