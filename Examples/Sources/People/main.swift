// SPDX-License-Identifier: Apache-2.0
//
// A person service that wants a token: list, get, create, update, delete and grant, with a store on
// top that keeps the list in step with the server.

import PollardHTTP

struct Person: Codable, Identifiable, Hashable, Sendable {
    let id: Int
    var name: String
    var roles: [String]
}

enum PersonAPI: Endpoint {
    case list
    case get(Person.ID)
    case create(name: String)
    case update(Person)
    case delete(Person.ID)
    case grant(String, to: Person.ID)

    var path: URLPath {
        switch self {
        case .list, .create: "/people"
        case .get(let id), .delete(let id): "/people/\(id)"
        case .update(let person): "/people/\(person.id)"
        case .grant(_, let id): "/people/\(id)/grants"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .list, .get: .get
        case .create, .grant: .post
        case .update: .put
        case .delete: .delete
        }
    }

    var body: HTTPBody? {
        switch self {
        case .create(let name): .json(["name": name])
        case .update(let person): .json(person)
        case .grant(let role, _): .json(["role": role])
        case .list, .get, .delete: nil
        }
    }
}

/// Everyone the server knows, as of the last call.
actor PersonStore {
    private let client: any APIClient
    private(set) var people: [Person] = []

    init(client: any APIClient) { self.client = client }

    func refresh() async throws(NetworkError) {
        people = try await client.value(for: PersonAPI.list)
    }

    func create(_ name: String) async throws(NetworkError) -> Person {
        let person: Person = try await client.value(for: PersonAPI.create(name: name))
        people.append(person)
        return person
    }

    func rename(_ id: Person.ID, to name: String) async throws(NetworkError) {
        var person: Person = try await client.value(for: PersonAPI.get(id))
        person.name = name
        replace(try await client.value(for: PersonAPI.update(person)))
    }

    func grant(_ role: String, to id: Person.ID) async throws(NetworkError) {
        replace(try await client.value(for: PersonAPI.grant(role, to: id)))
    }

    func delete(_ id: Person.ID) async throws(NetworkError) {
        _ = try await client.successfulResponse(for: PersonAPI.delete(id))
        people.removeAll { $0.id == id }
    }

    private func replace(_ person: Person) {
        people = people.map { $0.id == person.id ? person : $0 }
    }
}

// The client gets a token when the first request needs one, and another when it is refused.
let service = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let transport = try CurlTransport()
var client = NetworkManager(transport: transport, baseURL: service)
client.tokenProvider = OAuth2ClientCredentials(
    tokenURL: "\(service)/token", clientID: "demo", clientSecret: "secret", transport: transport)

let store = PersonStore(client: client)
try await store.refresh()
let grace = try await store.create("Grace")
try await store.rename(grace.id, to: "Grace Hopper")
try await store.grant("admiral", to: grace.id)
try await store.delete(1)
for person in await store.people {
    print("\(person.id) \(person.name): \(person.roles.joined(separator: ", "))")
}
