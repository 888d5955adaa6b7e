// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// How many retries there may be, and what is known of them.
@Suite struct RetryBudgetTests {
    @Test func `A full budget gives its reserve, and then its share`() {
        let budget = RetryBudget(share: 0.25, reserve: 3)
        #expect(budget.remaining == 3)
        #expect((1...4).map { _ in budget.takeRetry() } == [true, true, true, false])
        for _ in 1...3 { budget.noteRequest() }
        #expect(!budget.takeRetry())
        budget.noteRequest()
        #expect(budget.takeRetry())
        #expect(!budget.takeRetry())
        #expect(budget.refusedCount == 3)
        for _ in 1...100 { budget.noteRequest() }
        #expect(budget.remaining == 3)
    }

    @Test(
        arguments: [
            (-1, 0), (.nan, 0), (0, 0), (0.1, 10), (1, 100), (7, 100),
        ] as [(Double, Int)])
    func `The share of the requests is that of the retries`(share: Double, retries: Int) {
        let budget = RetryBudget(share: share, reserve: 1)
        #expect(budget.takeRetry())
        let taken = (1...100).count { _ in
            budget.noteRequest()
            return budget.takeRetry()
        }
        #expect(taken == retries)
    }

    @Test func `An outage is not multiplied`() async throws {
        let server = try LoopbackServer(replies: .status(503, ["Retry-After": "0"]))
        defer { server.stop() }
        var client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(),
            retry: RetryPolicy(attempts: 3, initial: .zero))
        let budget = RetryBudget(share: 0.1, reserve: 5)
        client.retryBudget = budget
        let copy = client
        for index in 1...50 {
            let response = try await (index.isMultiple(of: 2) ? client : copy)
                .response(for: .path("/"))
            #expect(response.status == 503)
        }
        // 50 requests, the reserve, and a tenth of 50; without a budget it would be 150. What was
        // earned while the budget was full is lost.
        #expect((59...60).contains(server.requests.count))
        #expect(budget.refusedCount > 30)
    }

    @Test func `The history has each attempt with its outcome, delay and timing`() async throws {
        let server = try LoopbackServer(
            replies: .status(503, ["Retry-After": "0", "Connection": "close"]), .close,
            .json("[1]"))
        defer { server.stop() }
        var environment = RetryEnvironment()
        environment.clock = SkippingClock()
        environment.makeGenerator = { Highest() }
        let client = NetworkManager(
            transport: try CurlTransport(), baseURL: server.url(), environment: environment)
        let response = try await client.response(of: [Int].self, for: .path("/"))
        #expect(
            response.history.map(\.outcome)
                == [.answered(503), .failed(.connectionLost), .answered(200)])
        #expect(response.history.map(\.delay) == [.zero, .milliseconds(500), .seconds(1)])
        #expect(response.history.allSatisfy { $0.timing.total > .zero })
        #expect(response.history.last?.timing == response.timing)
    }

    /// Draws the highest value: each delay is its bound.
    private struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    @Test func `An attempt is described on one line`() {
        var timing = HTTPTiming()
        timing.total = .milliseconds(12)
        #expect("\(HTTPAttempt(.answered(503), timing: timing))" == "answered 503 after 12 ms")
        #expect(
            "\(HTTPAttempt(.failed(.connect), delay: .milliseconds(1500), timing: timing))"
                == "failed (connect) after 12 ms, 1.5 s later")
    }
}
