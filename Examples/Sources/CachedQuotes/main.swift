// SPDX-License-Identifier: Apache-2.0
//
// A client behind a protocol of the program's own: over the network, from memory for a while, and
// as a stub in tests. Who uses it sees no difference.

import PollardHTTP

struct Quote: Codable, Hashable, Sendable {
    let text: String
}

protocol QuoteSource: Sendable {
    func quote(of day: String) async throws(NetworkError) -> Quote
}

/// Asks the service.
struct QuoteService: QuoteSource {
    let client: any APIClient

    func quote(of day: String) async throws(NetworkError) -> Quote {
        try await client.get(.path("/quotes/\(day)"))
    }
}

/// Asks another source once for each day.
actor CachedQuotes: QuoteSource {
    private let source: any QuoteSource
    private var quotes: [String: Latest<Quote>] = [:]

    init(_ source: any QuoteSource) { self.source = source }

    func quote(of day: String) async throws(NetworkError) -> Quote {
        let source = source
        let latest =
            quotes[day]
            ?? Latest { () async throws(NetworkError) in try await source.quote(of: day) }
        quotes[day] = latest
        if let known = latest.value { return known }
        return try await latest.load().get()  // Those who ask meanwhile wait for the same answer.
    }
}

/// What the program does, with whatever source it is given.
func greeting(from source: some QuoteSource) async throws(NetworkError) -> String {
    "Good morning! \(try await source.quote(of: "monday").text)"
}

// In a test: no server, and every request is known.
let stub = StubTransport { _ in .json(#"{"text": "Stubs are quick."}"#) }
let stubbed = CachedQuotes(
    QuoteService(client: NetworkManager(transport: stub, baseURL: "http://h")))
print(try await greeting(from: stubbed))
print(try await greeting(from: stubbed))
print("requests to the stub: \(stub.requests.map(\.url))")

// In the program.
let service = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let client = NetworkManager(transport: try CurlTransport(), baseURL: service)
print(try await greeting(from: CachedQuotes(QuoteService(client: client))))
