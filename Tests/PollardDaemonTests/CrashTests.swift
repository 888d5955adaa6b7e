// SPDX-License-Identifier: Apache-2.0

import Glibc
import PollardCore
import PollardStore
import PollardTestSupport
import Testing

/// What kill -9 leaves behind, at whatever instant it comes.
@Suite struct CrashTests {
    /// Enough that each step of a poll is hit several times: a run makes some 30 polls.
    private static let kills = 100

    /// A life of the daemon that is ended by a kill, or in good order at last.
    private func live(
        _ directory: TemporaryDirectory, for time: Duration, endingWith signal: CInt
    ) async throws -> String {
        let process = try Subprocess(
            try ProjectFiles.executable("pollard"),
            [
                "run", "--config", "\(directory.path)/pollard.yaml", "--state", directory.path,
                "--log", "json",
            ])
        try await process.wait(for: "a poll") { $0.outputText.contains("POLLARD_ENDPOINT") }
        try await ContinuousClock().sleep(for: time)
        process.signal(signal)
        return try await process.waitForExit().outputText
    }

    @Test func `Whenever it is killed, what is stored is what was told`() async throws {
        // Each answer differs from the one before.
        let server = try LoopbackServer { .json("\($0.number)") }
        defer { server.stop() }
        let names = try (0..<8).map { try #require(EndpointName(rawValue: "e\($0)")) }
        let endpoints = names.map {
            "  - {name: \($0), url: \"\(server.url("/\($0)"))\", interval: 100ms}\n"
        }
        let directory = try TemporaryDirectory()
        try directory.write("endpoints:\n" + endpoints.joined(), to: "pollard.yaml")

        var generator = SystemRandomNumberGenerator()
        var output = ""
        for _ in 0..<Self.kills {
            let time = Duration.microseconds(Int.random(in: 0...150_000, using: &generator))
            output += try await live(directory, for: time, endingWith: SIGKILL)
        }
        output += try await live(directory, for: .zero, endingWith: SIGTERM)

        // A line that the kill cut short tells nothing.
        let told = output.split(separator: "\n").compactMap { line -> String? in
            guard line.hasSuffix("}"),
                let value = try? JSONValue(parsing: String(line)),
                ["changed", "first-snapshot"].contains(value["POLLARD_KIND"]?.string)
            else { return nil }
            return value["POLLARD_EVENT"]?.string
        }
        let reader = try StoreReader(path: "\(directory.path)/pollard.db")
        let stored = try names.flatMap { try reader.changes(of: $0, limit: .max) }.map(\.event)
        #expect(Set(stored).count == stored.count)
        #expect(Set(told) == Set(stored))
        #expect(stored.count > Self.kills)
        // Twice is told only what a kill caught between the report and its mark.
        #expect(told.count - stored.count <= Self.kills * names.count)
    }
}
