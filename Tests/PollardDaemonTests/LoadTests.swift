// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardHTTP
import PollardStore
import PollardSystemd
import PollardTestSupport
import Testing

@testable import PollardDaemon

/// The schedule, the transport and a real store under load and bad endpoints.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LoadTests {
    /// A loop over real parts, and what it reports.
    private struct Service {
        let loop: PollLoop
        let transport: CurlTransport
        let overruns = Watched<[String]>([])

        init(_ configuration: Configuration, in directory: TemporaryDirectory) throws {
            transport = try CurlTransport(for: configuration)
            let reporter = Overruns(names: overruns)
            let store = try SQLiteStore(path: directory.path(of: "pollard.db"))
            let pipeline = PollPipeline(
                fetcher: HTTPFetcher(transport: transport),
                changes: ChangeRecorder(store: store, reporter: reporter), reporter: reporter,
                now: { Timestamp.now() }, newEvent: { EventID.random() })
            loop = PollLoop(
                endpoints: configuration.endpoints.map(WatchedEndpoint.init), states: [:],
                pipeline: pipeline)
        }

        /// Polls while `body` runs, and then gives up what is in flight.
        func run(_ body: () async throws -> Void) async throws {
            let polling = Task { await loop.run() }
            defer {
                loop.stop()
                transport.close()
            }
            try await body()
            loop.stop()
            transport.close()
            await polling.value
        }
    }

    /// Keeps the names of endpoints that overrun.
    private struct Overruns: Reporting {
        let names: Watched<[String]>

        func report(_ entry: EventEntry) {
            guard entry.id == .overrunning else { return }
            let name = entry.message.prefix { $0 != ":" }
            names.update { $0.append(String(name)) }
        }
    }

    private func endpoint(
        _ name: String, _ url: String, every interval: Duration, timeout: Duration = .seconds(30)
    ) throws -> EndpointConfiguration {
        var request = RequestConfiguration(url: url)
        request.timeout = timeout
        request.connectTimeout = min(timeout, request.connectTimeout)
        var endpoint = EndpointConfiguration(
            name: try #require(EndpointName(rawValue: name)), request: request)
        endpoint.interval = interval
        endpoint.retry.attempts = 1
        return endpoint
    }

    @Test func `Bad endpoints of every kind delay no other`() async throws {
        let directory = try TemporaryDirectory()
        let hanging = try LoopbackServer(replies: .hang)
        let drip = try LoopbackServer { _ in
            [
                .head(200, ["Content-Length": "100000"]),
                .drip(Array(repeating: 0x78, count: 100_000), gap: .milliseconds(10)),
            ]
        }
        let limited = try LoopbackServer(replies: .json("1"))
        let arrivals = Watched<[Timestamp]>([])
        let good = try LoopbackServer { _ in
            arrivals.update { $0.append(Timestamp.now()) }
            return .json("1")
        }
        var configuration = Configuration()
        configuration.limits.perHost = 4
        configuration.limits.perHostRate = .init(count: 10, period: .seconds(1))
        let interval = Duration.seconds(1)
        var endpoints = [try endpoint("good", good.url(), every: interval)]
        // At its number, which leaves the most of them waiting; at its rate; dead; slow.
        for number in 0..<40 {
            endpoints += [
                try endpoint("hang-\(number)", hanging.url("/\(number)"), every: interval),
                try endpoint("rate-\(number)", limited.url("/\(number)"), every: interval),
                try endpoint("drip-\(number)", drip.url("/\(number)"), every: interval),
                // A label above 63 bytes is no name (RFC 1035, 2.3.4): the resolver asks nobody.
                try endpoint(
                    "name-\(number)",
                    "http://\(String(repeating: "a", count: 64))-\(number).invalid/",
                    every: interval),
            ]
        }
        configuration.endpoints = endpoints
        let service = try Service(configuration, in: directory)
        try await service.run {
            try await arrivals.wait(for: "eight polls") { $0.count >= 8 }
            try await service.overruns.wait(for: "overruns of the bad ones") { names in
                ["hang-", "rate-", "drip-"].allSatisfy { bad in
                    names.contains { $0.hasPrefix(bad) }
                }
            }
        }
        let times = arrivals.value.map(\.microseconds)
        // One that waited for a bad one would wait for its time limit, 30 s.
        let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max()
        #expect(try #require(longest) < 25_000_000)
        // In its phase, at least where the machine had time for it.
        let schedule = endpoints[0].schedule
        let late = times.map { ($0 - schedule.phase) % schedule.interval }.min()
        #expect(try #require(late) < 750_000)
        #expect(hanging.requests.count == 4)
        withExtendedLifetime((drip, limited)) {}
    }

    @Test func `A thousand endpoints start spread over their interval`() async throws {
        let directory = try TemporaryDirectory()
        let arrivals = Watched<[String: Timestamp]>([:])
        let server = try LoopbackServer { request in
            arrivals.update { if $0[request.path] == nil { $0[request.path] = Timestamp.now() } }
            return .json("1")
        }
        var configuration = Configuration()
        configuration.limits.perHost = 256
        configuration.endpoints = try (0..<1000).map {
            try endpoint("e\($0)", server.url("/\($0)"), every: .seconds(5))
        }
        let start = Timestamp.now()
        let service = try Service(configuration, in: directory)
        try await service.run {
            try await arrivals.wait(for: "a poll of each") { $0.count == 1000 }
        }
        // None comes before its turn, however busy the machine, and the turns are spread: 40 in a
        // fifth of a second if they were spread evenly.
        let turns = configuration.endpoints.map { $0.schedule.next(after: start) }
        for (number, turn) in turns.enumerated() {
            let arrival = try #require(arrivals.value["/\(number)"])
            #expect(arrival.since(turn) > .milliseconds(-50), "e\(number)")
        }
        let sorted = turns.sorted()
        let most = sorted.indices.map { first in
            sorted[first...].prefix { $0.since(sorted[first]) < .milliseconds(200) }.count
        }.max()
        #expect(try #require(most) < 80)
    }
}
