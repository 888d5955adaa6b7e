// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore
import PollardTestSupport
import Testing

@testable import PollardConfig

@Suite(.serialized) struct HostileInputTests {
    /// Far above what any of these takes, far below what growth without bound would take.
    private static let patience: Duration = .seconds(60)

    private func diagnostics(_ text: String) throws -> [String] {
        let files = try TemporaryFiles(["pollard.yaml": text])
        var found: [String] = []
        let duration = processorTime { found = files.diagnostics() }
        #expect(duration < Self.patience)
        return found
    }

    @Test func `An alias bomb is refused before it grows`() throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...20 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(
            try diagnostics(text) == [
                "pollard.yaml:6:25: error: the file has more than 500000 values "
                    + "(aliases count as what they stand for)"
            ])
    }

    @Test func `An alias bomb of maps is refused too`() throws {
        var text = "a0: &a0 {x: 1, y: 2}\n"
        for level in 1...30 {
            text += "a\(level): &a\(level) {x: *a\(level - 1), y: *a\(level - 1)}\n"
        }
        let found = try diagnostics(text)
        #expect(found.count == 1)
        #expect(found[0].contains("the file has more than 500000 values"))
    }

    @Test(arguments: ["[", "{", "- ", "? ", "[{", "{a: ", "*a ", "&a ", "\"", "a: b: ", "!!", "%"])
    func `A megabyte of one sign is refused in time`(sign: String) throws {
        let text = String(repeating: sign, count: (1 << 20) / sign.utf8.count)
        #expect(try diagnostics(text).count == 1)
    }

    @Test(arguments: ["a", "\n", " ", "- a\n", "#\n", "a, "])
    func `A megabyte of what is allowed is read in time`(sign: String) throws {
        let text = String(repeating: sign, count: (1 << 20) / sign.utf8.count)
        #expect(try diagnostics(text).count <= 1)
        #expect(try diagnostics("endpoints: [\(text)]").count <= DiagnosticLog.maximumErrors + 1)
    }

    @Test func `More errors than anybody reads are counted`() throws {
        let keys = (0..<50_000).map { "unknown\($0): 1\n" }.joined()
        let found = try diagnostics(keys)
        #expect(found.count == 1001)
        #expect(found[0] == "pollard.yaml:1:1: error: unknown key 'unknown0'")
        #expect(found[1000] == "pollard.yaml: error: 49000 more errors")
    }

    @Test func `A wrong value under many aliases is said once`() throws {
        let aliases = Array(repeating: "*a", count: 5000).joined(separator: ", ")
        let text = "endpoints: [&a {name: a, intervall: 1s, url: x}, \(aliases)]"
        let found = try diagnostics(text)
        #expect(
            found == [
                "pollard.yaml:1:23: error: duplicate endpoint 'a', first on line 1",
                "pollard.yaml:1:26: error: unknown key 'intervall' (did you mean 'interval'?)",
                "pollard.yaml:1:46: error: 'url' must begin with 'http://' or 'https://'",
            ])
    }

    @Test func `Ten thousand endpoints are loaded in time`() throws {
        let endpoints = (0..<10_000).map { number in
            """
              - name: endpoint-\(number)
                api: shop
                path: /products/\(number)
                query: {page: \(number)}
                interval: 5min
                alert: {after: 3}
                labels: {team: shop}

            """
        }
        let text =
            "apis: {shop: {base_url: http://a.example, headers: {Accept: application/json}}}\n"
            + "endpoints:\n" + endpoints.joined()
        let files = try TemporaryFiles(["pollard.yaml": text])
        var configuration = Configuration()
        let duration = try processorTime {
            configuration = try Fixtures.loader.load(path: files.main)
        }
        #expect(configuration.endpoints.count == 10_000)
        #expect(configuration.endpoints.last?.request.url == "http://a.example/products/9999")
        #expect(duration < Self.patience)
    }

    @Test func `Mutated files are accepted or refused, and never crash`() throws {
        var chance = SplitMix(state: 20_240_229)
        let files = try TemporaryFiles(["pollard.yaml": ""])
        // Kept open: creating a file costs more than loading it.
        let handle = try FileHandle(forWritingTo: URL(filePath: files.main))
        defer { try? handle.close() }
        let seeds = try
            (Fixtures.valid.map { ($0, "valid") } + Fixtures.invalid.map { ($0, "invalid") })
            .map { try Data(contentsOf: URL(filePath: Fixtures.path($0.0, in: $0.1))) }
        var refused = 0
        let rounds = 3000
        for _ in 0..<rounds {
            var bytes = Array(seeds[Int.random(in: seeds.indices, using: &chance)])
            for _ in 0..<Int.random(in: 1...4, using: &chance) { chance.mutate(&bytes) }
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(bytes))
            let found = Fixtures.diagnostics(path: files.main)
            if !found.isEmpty { refused += 1 }
            for diagnostic in found {
                #expect(!diagnostic.message.isEmpty)
                #expect(!diagnostic.description.contains("\n"))
                #expect(!diagnostic.description.contains("not valid YAML"))
            }
        }
        #expect((rounds / 2..<rounds).contains(refused))
    }
}

/// A small generator with a seed, so that a failure can be seen again (Steele et al., 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    private static let signs =
        Array("[]{}:,-?&*!|>'\"%@`#~/\\\t\n \r\0<=0".utf8) + [0xC3, 0xFF, 0x85]

    /// Removes, replaces, inserts or repeats a few bytes.
    mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: bytes.indices, using: &self)
        let end = min(bytes.count, place + Int.random(in: 1...12, using: &self))
        let sign = Self.signs[Int.random(in: Self.signs.indices, using: &self)]
        switch next() % 4 {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes[place] = sign
        case 2: bytes.insert(sign, at: place)
        default: bytes.insert(contentsOf: bytes[place..<end], at: place)
        }
    }
}
