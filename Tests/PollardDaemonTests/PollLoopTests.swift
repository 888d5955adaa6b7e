// SPDX-License-Identifier: Apache-2.0

import PollardCore
import PollardStore
import PollardSystemd
import PollardTestSupport
import Testing

@testable import PollardDaemon

@Suite struct PollLoopTests {
    /// What the reporter was told, in order.
    private let told = Watched<[String]>([])
    /// How many answers were asked for, and whether one may be given.
    private let fetching = Watched<(requests: Int, mayAnswer: Bool)>((0, false))

    @Test func `What a poll leaves behind whose endpoint was removed meanwhile is dropped`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path(of: "pollard.db"))
        let teller = Teller(told: told)
        let pipeline = PollPipeline(
            fetcher: HeldFetcher(state: fetching),
            changes: ChangeRecorder(store: store, reporter: teller), reporter: teller,
            now: { .now() }, newEvent: { EventID.random() })
        var endpoint = EndpointConfiguration(
            name: try #require(EndpointName(rawValue: "gone")),
            request: RequestConfiguration(url: "http://127.0.0.1/"))
        endpoint.interval = .milliseconds(100)
        let loop = PollLoop(
            endpoints: [WatchedEndpoint(endpoint)], states: [:], pipeline: pipeline)
        let running = Task { await loop.run() }
        try await fetching.wait(for: "a poll") { $0.requests > 0 }
        loop.apply([], states: [:])
        fetching.update { $0.mayAnswer = true }
        try await told.wait(for: "the end of the poll") { $0.last == "forget gone" && $0.count > 1 }
        loop.stop()
        await running.value
        // On a busy machine polls may be late, and those that were due meanwhile overrun.
        #expect(
            told.value.filter { !["late", "overrunning"].contains($0) } == [
                "forget gone", "first-snapshot", "forget gone",
            ])
        try await store.close()
    }
}

/// Gives an answer when it may.
private struct HeldFetcher: Fetching {
    let state: Watched<(requests: Int, mayAnswer: Bool)>

    func fetch(
        _ endpoint: EndpointConfiguration, validators: Validators
    ) async throws(PollFailure) -> Answer {
        state.update { $0.requests += 1 }
        do {
            try await state.wait(for: "leave to answer") { $0.mayAnswer }
        } catch {
            throw PollFailure(kind: .timeout, message: "\(error)")
        }
        return Answer(status: 200, contentType: "application/json", body: Array("1".utf8))
    }

    func forget(_ name: EndpointName) {}
}

private struct Teller: Reporting {
    let told: Watched<[String]>

    func report(_ entry: EventEntry) { told.update { $0.append(entry.id.kind) } }
    func forget(_ name: EndpointName) { told.update { $0.append("forget \(name)") } }
}
