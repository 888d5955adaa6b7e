// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

/// What the pipeline makes of polls that get no answer.
@Suite struct NetworkPipelineTests {
    private static let cause = "cannot connect to a.test:443: network is unreachable"
    private static let unreachable = failure(.connect, cause, isHostSilent: true)
    private static let hosts = ["a.test", "b.test", "c.test", "d.test"]

    private static func failure(
        _ kind: PollFailure.Kind, _ message: String, isHostSilent: Bool = false
    ) -> Result<Answer, PollFailure> {
        var failure = PollFailure(kind: kind, message: message)
        failure.isHostSilent = isHostSilent
        return .failure(failure)
    }

    /// Endpoints on hosts of their own, polled through one pipeline.
    private func watched(_ hosts: [String]) throws -> [WatchedEndpoint] {
        try hosts.enumerated().map { number, host in
            WatchedEndpoint(
                EndpointConfiguration(
                    name: try "e\(number)".endpoint,
                    request: RequestConfiguration(url: "https://\(host):8443/x")))
        }
    }

    /// Polls the endpoints with these numbers, one after the other, once all have answered.
    private func poll(
        on hosts: [String] = Self.hosts, _ indices: [Int], _ answers: [Result<Answer, PollFailure>]
    ) async throws -> (fixture: PipelineFixture, states: [EndpointState]) {
        let good = Array(repeating: Result<Answer, PollFailure>.json("1"), count: hosts.count)
        let fixture = try PipelineFixture(good + answers)
        let endpoints = try watched(hosts)
        var states: [EndpointState] = []
        for endpoint in endpoints {
            states.append(await fixture.pipeline.poll(endpoint, from: EndpointState()).state)
        }
        for index in indices {
            states[index] =
                await fixture.pipeline.poll(endpoints[index], from: states[index]).state
        }
        return (fixture, states)
    }

    private func unreachable(_ count: Int) -> [Result<Answer, PollFailure>] {
        Array(repeating: Self.unreachable, count: count)
    }

    @Test func `When the network is gone, that is one event, and failures do not count`()
        async throws
    {
        // E0, E1 fail and are told; with E2 it is the network, and all is silent from then on.
        let (fixture, states) = try await poll(
            [0, 1, 2, 3, 0, 1, 2, 3, 0, 3, 2, 1], unreachable(9) + [.json("1")] + unreachable(2))
        #expect(
            fixture.reporter.messages.dropFirst(4) == [
                "e0: failing: \(Self.cause)", "e1: failing: \(Self.cause)",
                """
                network trouble: 3 of 4 hosts give no answer any more; their failed polls do not \
                count until one of them answers: \(Self.cause)
                """,
                "network recovered after 7min; failed polls count again",
                "e2: failing: \(Self.cause)",
            ])
        #expect(states.map(\.alert.consecutiveFailures) == [1, 2, 1, 0])
        #expect(states[0].lastPoll?.failure == Self.cause)
        // The statistics have every poll.
        #expect(fixture.store.noted.count { $0.isFailure } == 11)
        #expect(fixture.pipeline.networkHealth.troubleSince == nil)
        let trouble = fixture.reporter.entries.first { $0.id == .networkTrouble }
        #expect(trouble?.priority == .err)
        #expect(
            trouble?.fields == [
                .init("POLLARD_KIND", "network-trouble"), .init("POLLARD_HOSTS", "3"),
                .init("POLLARD_FAILURE", "connect"), .init("POLLARD_ERROR", Self.cause),
            ])
    }

    @Test(
        arguments: [
            (.tls, "the certificate of a.test:443 has expired; renew it on the server"),
            (.tls, "the certificate of a.test:443 was issued by an unknown authority"),
            (.connect, "connection refused by a.test:443"), (.body, "the connection broke"),
            (.timeout, "no complete answer from a.test:443 within 30 s"),
        ] as [(PollFailure.Kind, String)])
    func `What hosts did all by themselves was trouble of the network`(
        kind: PollFailure.Kind, message: String
    ) async throws {
        let (fixture, states) = try await poll(
            [0, 1, 2, 3], Array(repeating: Self.failure(kind, message), count: 4))
        #expect(
            fixture.reporter.messages.dropFirst(4)
                == (0..<4).map { "e\($0): failing: \(message)" }[...])
        #expect(states.filter { !$0.alert.isFailing } == [])
    }

    @Test func `Any answer of a silent host ends trouble of the network, also a bad one`()
        async throws
    {
        let cut = Result<Answer, PollFailure>.failure(
            PollFailure(kind: .body, message: "cut short", status: 200))
        for answer in [.status(503), cut] as [Result<Answer, PollFailure>] {
            let (fixture, _) = try await poll([0, 1, 2, 2], unreachable(3) + [answer])
            #expect(
                fixture.reporter.entries.dropFirst(4).map(\.id) == [
                    .failing, .failing, .networkTrouble, .networkRecovered, .failing,
                ])
        }
    }

    @Test func `Failures of other kinds count during trouble of the network`() async throws {
        let refused = "connection refused by d.test:443"
        let (fixture, states) = try await poll(
            [0, 1, 2, 3], unreachable(3) + [Self.failure(.connect, refused)])
        #expect(fixture.reporter.messages.last == "e3: failing: \(refused)")
        #expect(states[3].alert.isFailing && !states[2].alert.isFailing)
        #expect(fixture.pipeline.networkHealth.troubleSince != nil)
    }

    @Test func `Servers on this machine were trouble of the network`() async throws {
        let (fixture, _) = try await poll(
            on: ["127.0.0.1", "127.0.0.2", "localhost", "a.test"], [0, 1, 2, 3], unreachable(4))
        #expect(
            fixture.reporter.entries.dropFirst(4).map(\.id) == Array(repeating: .failing, count: 4))
    }

    @Test func `An endpoint on this machine hid trouble of the network`() async throws {
        let hosts = ["a.test", "b.test", "c.test", "127.0.0.1", "127.0.0.2", "127.0.0.3"]
        let (fixture, _) = try await poll(
            on: hosts, [0, 3, 1, 4, 2, 5],
            [
                Self.unreachable, .json("1"), Self.unreachable, .json("1"), Self.unreachable,
                .json("1"),
            ])
        #expect(
            fixture.reporter.entries.dropFirst(6).map(\.id)
                == [.failing, .failing, .networkTrouble])
    }

    @Test func `Trouble that lasts is told again after an hour`() async throws {
        let (fixture, states) = try await poll(
            [0, 1, 2] + Array(repeating: 2, count: 61), unreachable(64))
        let told = fixture.reporter.entries.filter { $0.id == .networkTrouble }
        try #require(told.count == 2)
        #expect(
            told[1].message == """
                network trouble for 1h: 3 of 4 hosts give no answer any more; their failed polls \
                do not count until one of them answers: \(Self.cause)
                """)
        #expect(told[1].fields.contains(.init("POLLARD_OUTAGE_USEC", "3600000000")))
        #expect(!states[2].alert.isFailing)
    }

    @Test func `After a restart failures that did not count are told as one event again`()
        async throws
    {
        let hosts = Self.hosts + ["e.test"]
        let (fixture, states) = try await poll(on: hosts, [0, 1, 2, 3, 4], unreachable(10))
        let endpoints = try watched(hosts)
        var restarted = fixture.pipeline
        restarted.networkHealth = NetworkHealth()
        restarted.keepHosts(of: zip(endpoints, states))
        for index in [2, 3, 4] { _ = await restarted.poll(endpoints[index], from: states[index]) }
        #expect(
            fixture.reporter.entries.suffix(3).map(\.id) == [.failing, .failing, .networkTrouble])
    }

    @Test func `A reload that left too few hosts was told as a recovery`() async throws {
        let (fixture, states) = try await poll([0, 1, 2], unreachable(3))
        let endpoints = try watched(Self.hosts)
        fixture.pipeline.keepHosts(of: zip(endpoints.prefix(2), states))
        let entry = try #require(fixture.reporter.entries.last)
        #expect(entry.id == .networkUnclear && entry.priority == .notice)
        #expect(
            entry.message == """
                network trouble is no longer judged after 1min: too few hosts give no answer, \
                2 of 2 hosts; failed polls count again
                """)
        #expect(
            entry.fields == [
                .init("POLLARD_KIND", "network-unclear"), .init("POLLARD_HOSTS", "2"),
                .init("POLLARD_OUTAGE_USEC", "60000000"),
            ])
    }
}
