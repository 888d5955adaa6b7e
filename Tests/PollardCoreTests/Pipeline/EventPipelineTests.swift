// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

/// What a poll tells beside changes.
@Suite struct EventPipelineTests {
    /// The clock of the fixture at its first poll.
    private let start = Timestamp(microseconds: 1_800_000_060_000_000)

    // MARK: - Certificates

    private func expiring(in time: Duration) -> Result<Answer, PollFailure> {
        var answer = Answer(
            status: 200, contentType: "application/json", body: Array("1".utf8),
            validators: Validators())
        answer.certificateExpiry = start.advanced(by: time)
        return .success(answer)
    }

    @Test func `A certificate that expires soon is told once, and not by the next poll`()
        async throws
    {
        let day = Duration.seconds(86_400)
        let fixture = try PipelineFixture([expiring(in: day * 13), expiring(in: day * 13)]) {
            $0.expectations.certificate = day * 14
        }
        let result = await fixture.poll(times: 2)
        #expect(result.outcome == .unchanged)
        let entries = fixture.reporter.entries.filter { $0.id == .certificateExpiring }
        try #require(entries.count == 1)
        #expect(
            entries[0].message == """
                orders: certificate expires in 13d, at 2027-01-28T08:01:00Z; renew it on the server
                """)
        #expect(entries[0].priority == .warning)
        #expect(
            entries[0].fields.contains(.init("POLLARD_CERTIFICATE_EXPIRY", "2027-01-28T08:01:00Z")))
        #expect(result.state.certificate.toldAt == start)
        // Stored with the snapshot, so that a restart does not tell it again.
        #expect(await fixture.store.commits[0].state.certificate.toldAt == start)
    }

    @Test func `A certificate is looked at in a bad answer too`() async throws {
        var answer = Answer(status: 404)
        answer.certificateExpiry = start.advanced(by: .seconds(3600))
        let fixture = try PipelineFixture([.success(answer)]) {
            $0.expectations.certificate = .seconds(7200)
        }
        _ = await fixture.poll(times: 1)
        #expect(fixture.reporter.entries.map(\.id) == [.certificateExpiring, .failing])
    }

    @Test func `A certificate that has expired since its handshake is told as such`() async throws {
        let fixture = try PipelineFixture([expiring(in: .seconds(-60))]) {
            $0.expectations.certificate = .seconds(3600)
        }
        _ = await fixture.poll(times: 1)
        #expect(
            fixture.reporter.messages.first
                == "orders: certificate expired at 2027-01-15T08:00:00Z; renew it on the server")
    }

    @Test func `A certificate that lives long enough, or is not looked at, is not told`()
        async throws
    {
        for minimum in [nil, Duration.seconds(60)] {
            let fixture = try PipelineFixture([expiring(in: .seconds(61))]) {
                $0.expectations.certificate = minimum
            }
            _ = await fixture.poll(times: 1)
            #expect(fixture.reporter.messages == ["orders: first snapshot"])
        }
    }

    // MARK: - Fields

    @Test func `A failure tells its class and phase`() async throws {
        for kind in PollFailure.Kind.allCases {
            let failure = PollFailure(kind: kind, message: "no")
            let phase: PollFailure.Phase =
                switch kind {
                case .dns: .lookup
                case .connect: .connect
                case .tls: .tls
                case .timeout, .status: .answer
                case .body: .body
                case .extract: .extract
                }
            let fixture = try PipelineFixture([.failure(failure)])
            _ = await fixture.poll(times: 1)
            let fields = try #require(fixture.reporter.entries.first?.fields)
            #expect(fields.contains(.init("POLLARD_FAILURE", kind.rawValue)))
            #expect(fields.contains(.init("POLLARD_PHASE", phase.rawValue)))
        }
    }

    @Test func `Failures that are not in a row are told as such`() async throws {
        let fixture = try PipelineFixture(
            [.json("1"), .refused, .json("1"), .refused, .json("1")]
        ) {
            $0.alert.after = 2
            $0.alert.within = 4
        }
        let result = await fixture.poll(times: 5)
        #expect(
            fixture.reporter.messages.dropFirst() == [
                "orders: failing: connection refused by 192.0.2.1 port 443 (2 of the last 4 polls)",
                "orders: recovered after 3min (2 failed polls)",
            ])
        #expect(result.state.alert.recentFailures == 0)
    }

    @Test func `A change of long lines stays below what journalctl shows`() async throws {
        let long = String(repeating: "ä", count: 100)
        let old = "[" + (0..<20).map { "\"\($0)\(long)\"" }.joined(separator: ",") + "]"
        let new = "[" + (20..<40).map { "\"\($0)\(long)\"" }.joined(separator: ",") + "]"
        let fixture = try PipelineFixture([.json(old), .json(new)])
        _ = await fixture.poll(times: 2)
        let message = try #require(fixture.reporter.messages.last)
        #expect(message.utf8.count < 4088)
        let lines = message.split(separator: "\n")
        #expect(lines[0] == "orders: changed: 20 updated")
        #expect(lines.last == "... and \(20 - (lines.count - 2)) more")
        // A line has some 420 bytes.
        #expect(lines.count == 11)
    }
}
