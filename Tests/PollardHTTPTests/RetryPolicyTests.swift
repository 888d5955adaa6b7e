// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import Testing

/// What is decided after an attempt.
@Suite struct RetryPolicyTests {
    /// Always draws the highest or the lowest value.
    private struct FixedGenerator: RandomNumberGenerator {
        var bits: UInt64
        mutating func next() -> UInt64 { bits }
    }

    /// 1994-11-06 08:49:37 UTC, the date of RFC 9110's samples.
    private static let now: Int64 = 784_111_777

    private func decision(
        _ policy: RetryPolicy = RetryPolicy(), after outcome: Result<HTTPResponse, NetworkError>,
        to method: HTTPMethod = .get, attempt: Int = 1, bits: UInt64 = .max,
        now: Int64 = RetryPolicyTests.now
    ) -> RetryPolicy.Decision {
        var generator = FixedGenerator(bits: bits)
        return policy.decision(
            after: outcome, to: method, attempt: attempt, now: now, using: &generator)
    }

    private func status(
        _ status: Int, retryAfter: String? = nil
    ) -> Result<HTTPResponse, NetworkError> {
        .success(
            HTTPResponse(status: status, fields: retryAfter.map { ["Retry-After": $0] } ?? [:]))
    }

    private func failure(_ code: NetworkError.Code) -> Result<HTTPResponse, NetworkError> {
        .failure(NetworkError(code, "it failed"))
    }

    @Test func `The bound doubles up to the maximum, as the documentation says`() {
        let policy = RetryPolicy()
        #expect(
            (1...10).map { policy.bound(beforeAttempt: $0) }
                == [
                    .zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8),
                    .seconds(16), .seconds(30), .seconds(30), .seconds(30),
                ])
        #expect(policy.bound(beforeAttempt: .max) == .seconds(30))
        let high = RetryPolicy(initial: .seconds(5), maximum: .seconds(2))
        #expect(high.bound(beforeAttempt: 2) == .seconds(2))
        #expect(RetryPolicy(initial: .zero).bound(beforeAttempt: 9) == .zero)
    }

    @Test func `The delay is drawn between zero and the bound`() {
        #expect(decision(after: status(503), attempt: 2) == .retry(after: .seconds(1)))
        #expect(decision(after: status(503), attempt: 2, bits: 0) == .retry(after: .zero))
        var generator = SystemRandomNumberGenerator()
        var delays: [Duration] = []
        for _ in 1...200 {
            guard
                case .retry(let delay) = RetryPolicy().decision(
                    after: status(503), to: .get, attempt: 1, now: 0, using: &generator)
            else { continue }
            delays.append(delay)
        }
        #expect(delays.count == 200)
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .milliseconds(500) })
        #expect(Set(delays).count > 100)
    }

    @Test func `Statuses that may pass by themselves are retried, others stand`() {
        let retried = (100...599).filter { decision(after: status($0)) != .stop }
        #expect(retried == [408, 429, 500, 502, 503, 504])
    }

    @Test(arguments: [
        (NetworkError.Code.nameLookup, true), (.connect, true), (.connectionLost, true),
        (.timeout, true), (.tls, false), (.cancelled, false), (.invalidURL, false),
        (.invalidResponse, false), (.bodyTooLarge, false), (.tooManyRedirects, false),
        (.invalidRequest, false), (.transport, false), (.headersTooLarge, false),
    ])
    func `Failures that may pass by themselves are retried`(
        code: NetworkError.Code, isRetried: Bool
    ) {
        #expect((decision(after: failure(code)) != .stop) == isRetried)
    }

    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true),
        (.post, false), (.patch, false), (HTTPMethod(rawValue: "PURGE"), false),
    ])
    func `Only idempotent methods are retried unless told`(method: HTTPMethod, isRetried: Bool) {
        #expect((decision(after: status(503), to: method) != .stop) == isRetried)
        #expect((decision(after: failure(.connect), to: method) != .stop) == isRetried)
        let unsafe = RetryPolicy(retriesUnsafeMethods: true)
        #expect(decision(unsafe, after: status(503), to: method) != .stop)
    }

    @Test func `Attempts end with the last`() {
        #expect(decision(after: status(503), attempt: 2) != .stop)
        #expect(decision(after: status(503), attempt: 3) == .stop)
        #expect(decision(.never, after: status(503)) == .stop)
        #expect(decision(RetryPolicy(attempts: 0), after: failure(.connect)) == .stop)
    }

    @Test(arguments: [
        ("2", 2), ("0", 0), ("007", 7), ("60", 60),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
        ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
        ("Sun Nov  6 08:49:47 1994", 10),
        ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
    ])
    func `Retry-After is honoured in every form`(value: String, seconds: Int) {
        let response = status(503, retryAfter: value)
        #expect(decision(after: response, bits: 0) == .retry(after: .seconds(seconds)))
    }

    @Test func `A delay longer than Retry-After stays`() {
        let policy = RetryPolicy(initial: .seconds(8))
        let response = status(429, retryAfter: "2")
        #expect(decision(policy, after: response) == .retry(after: .seconds(8)))
    }

    @Test(arguments: [
        "61", "99999999999999999999999", "Sun, 06 Nov 1994 08:50:38 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ])
    func `A Retry-After above the limit stops`(value: String) {
        #expect(decision(after: status(503, retryAfter: value)) == .stop)
        var patient = RetryPolicy()
        patient.maximumRetryAfter = .seconds(Int64.max / 2)
        #expect(decision(patient, after: status(503, retryAfter: value)) != .stop)
    }

    @Test(arguments: [
        "", "soon", "-1", "1.5", "1 s", "+1", "Sun, 06 Nov 1994 08:49:47",
        "Sun, 31 Feb 1994 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Foo 1994 08:49:47 GMT",
        "Sun, 6 Nov 94 8:49:47 GMT",
        "Sun Nov 0 08:49:47 1994", "Sun, 06 Nov 1994 08:49:47 CET", "٣",
    ])
    func `A Retry-After that can't be read is as none`(value: String) {
        let response = status(503, retryAfter: value)
        #expect(decision(after: response) == .retry(after: .milliseconds(500)))
    }
}
