// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import PollardTestSupport
import Testing

/// How long addresses of names are used: by a program with a name server that counts.
@Suite(.needsNameServer, .timeLimit(.minutes(2))) struct NameLookupTests {
    /// Two servers with one port, at the two addresses that a name can have.
    private let first: LoopbackServer
    private let second: LoopbackServer

    init() throws {
        (first, second) = try Self.servers()
    }

    private static func servers() throws -> (LoopbackServer, LoopbackServer) {
        // Somebody may have the port of the first at the address of the second: then others.
        for _ in 0..<20 {
            let first = try LoopbackServer { _ in .text("first") }
            let second = try? LoopbackServer(on: .ipv6, port: first.port) { _ in .text("second") }
            if let second { return (first, second) }
        }
        throw NoPort()
    }

    private struct NoPort: Error {}

    private var reachedFirst: String { "reached 127.0.0.1:\(first.port)\n" }
    private var reachedSecond: String { "reached [::1]:\(first.port)\n" }

    /// Starts a program that sends requests to a name, each over a new connection.
    private func probe(_ names: NameServer, age: String, count: Int) throws -> Subprocess {
        try names.start(
            ProjectFiles.executable("http-probe"),
            ["connect", "http://moving.example:\(first.port)/", age, String(count)])
    }

    @Test func `A name is looked up once for all new connections within the time`() async throws {
        let names = try NameServer(.ipv4, .ipv6)
        defer { names.stop() }
        let run = try await probe(names, age: "3600", count: 50).waitForExit()
        #expect(run.outputText == "\(reachedFirst)sent 50\n", "\(run.errorText)")
        #expect(names.lookupCount == 1)
        #expect(first.connectionCount == 50)
        #expect(second.connectionCount == 0)
    }

    @Test(arguments: ["default", "1"])
    func `A name that moves is followed after the time`(_ age: String) async throws {
        let names = try NameServer(.ipv4, .ipv6)
        defer { names.stop() }
        // It goes on until it is killed: how many requests fit into the time doesn't matter.
        let probe = try probe(names, age: age, count: .max)
        defer { probe.kill() }
        let moved = reachedFirst + reachedSecond
        try await probe.wait(for: "the second address") {
            $0.outputText == moved || $0.status != nil
        }
        #expect(probe.result.outputText == moved, "\(probe.result.errorText)")
        #expect(names.lookupCount >= 2)
    }

    @Test func `Without a time each connection has a lookup of its own`() async throws {
        let names = try NameServer(.ipv4, .ipv6, .ipv4)
        defer { names.stop() }
        let run = try await probe(names, age: "0", count: 5).waitForExit()
        #expect(
            run.outputText == "\(reachedFirst)\(reachedSecond)\(reachedFirst)sent 5\n",
            "\(run.errorText)")
        #expect(names.lookupCount == 5)
    }
}
