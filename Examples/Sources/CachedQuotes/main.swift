// SPDX-License-Identifier: Apache-2.0
//
// A client with a cache, behind a protocol of the program's own. Who uses the protocol sees no
// difference between the service, its cache and a stub.

import PollardHTTP

struct Quote: Codable, Sendable {
    let text: String
}

protocol QuoteSource: Sendable {
    func quote(of day: String) async throws(NetworkError) -> Quote
}

/// Asks the service, but not for what it said is good for a while.
struct QuoteService: QuoteSource {
    private let client: any APIClient

    init(transport: some HTTPTransport, service: String, cache: ResponseCache) {
        client = NetworkManager(transport: transport, baseURL: service, cache: cache)
    }

    func quote(of day: String) async throws(NetworkError) -> Quote {
        try await client.get(.path("/quotes/\(day)"))
    }
}

/// Has one quote for every day.
struct FixedQuote: QuoteSource {
    let text: String

    func quote(of day: String) async throws(NetworkError) -> Quote { Quote(text: text) }
}

/// What the program is about, with whatever source it is given.
func greeting(from source: some QuoteSource) async throws(NetworkError) -> String {
    "Good morning! \(try await source.quote(of: "monday").text)"
}

// A test of what uses quotes needs no client at all.
print(try await greeting(from: FixedQuote(text: "Stubs are quick.")))

// A test of the service needs no server, and knows every request.
let stub = StubTransport { _ in
    .json(#"{"text": "Caches are quick."}"#, fields: ["Cache-Control": "max-age=60"])
}
let stubbed = QuoteService(transport: stub, service: "http://quotes", cache: ResponseCache())
for _ in 1...3 { print(try await greeting(from: stubbed)) }
print("requests: \(stub.requests)")

// The program itself.
let service = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let cache = ResponseCache()
let quotes = QuoteService(transport: try CurlTransport(), service: service, cache: cache)
for _ in 1...3 { print(try await greeting(from: quotes)) }
let statistics = await cache.statistics
print("asked: \(statistics.misses), known: \(statistics.hits)")
