// SPDX-License-Identifier: Apache-2.0
//
// What the tests of PollardHTTP kill, or start where names have other addresses, instead of
// themselves.
//
//     http-probe cache DIRECTORY COUNT       stores answers of 20 kB, each under a URL of its own
//     http-probe defer DIRECTORY COUNT URL   defers requests
//     http-probe replay DIRECTORY            sends what waits
//     http-probe connect URL SECONDS COUNT   sends requests over as many connections; SECONDS is how
//                                            long an address is kept, or `default`
//
// Says what it has done, line by line.

import Glibc
import PollardHTTP

/// Writes a line at once, so that a kill takes back nothing of it.
func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = unsafe write(1, bytes, bytes.count)
}

/// Stores answers.
func cache(_ directory: String, count: Int) async throws {
    let cache = try ResponseCache(directory: directory)
    let stub = StubTransport { request in
        HTTPResponse(
            status: 200, fields: ["Cache-Control": "max-age=1000"],
            body: Array(repeating: UInt8(ascii: "x"), count: 20_000) + Array(request.url.utf8))
    }
    let transport = CachingTransport(stub, cache: cache)
    for number in 1...count {
        _ = try await transport.send(HTTPRequest(url: "https://h/\(number)"))
        if let error = await cache.statistics.lastError { throw error }
        say("stored \(number)")
    }
}

/// Defers requests.
func deferRequests(_ directory: String, count: Int, to url: String) async throws {
    let queue = try DeferredRequests(directory: directory)
    for number in 1...count {
        let request = HTTPRequest(
            url: url, method: .post, fields: ["Authorization": "Bearer secret"],
            body: Array("note \(number)".utf8))
        let deferred = try await queue.append(request)
        say("deferred \(deferred.id)")
    }
}

/// Sends what waits.
func replay(_ directory: String) async throws {
    let queue = try DeferredRequests(directory: directory)
    let transport = try CurlTransport()
    let replay = try await queue.replay(using: transport)
    say("delivered \(replay.delivered)")
}

/// Sends requests, each over a connection of its own, and says each new peer.
func connect(to url: String, addressAge: String, count: Int) async throws {
    var configuration = CurlTransport.Configuration()
    if let seconds = Int(addressAge) {
        configuration.limits.maximumAddressAge = .seconds(seconds)
    }
    let transport = try CurlTransport(configuration: configuration)
    var request = HTTPRequest(url: url)
    request.keepsConnection = false
    var peer: String?
    for _ in 1...count {
        let response = try await transport.send(request)
        if response.remoteAddress != peer { say("reached \(response.remoteAddress ?? "nobody")") }
        peer = response.remoteAddress
    }
    say("sent \(count)")
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "cache": try await cache(arguments[1], count: Int(arguments[2]) ?? 0)
case "defer":
    try await deferRequests(arguments[1], count: Int(arguments[2]) ?? 0, to: arguments[3])
case "replay": try await replay(arguments[1])
case "connect":
    try await connect(to: arguments[1], addressAge: arguments[2], count: Int(arguments[3]) ?? 0)
default: exit(64)
}
