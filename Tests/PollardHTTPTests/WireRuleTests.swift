// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// Small rules of the standards, each of which was broken once.
@Suite struct WireRuleTests {
    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true),
        (.trace, true), (.post, false), (.patch, false), (HTTPMethod(rawValue: "get"), false),
    ])
    func `TRACE was not idempotent`(method: HTTPMethod, expected: Bool) {
        #expect(method.isIdempotent == expected)
    }

    @Test(arguments: [
        ("[FE80::1%25Eth0]", "[fe80::1%25Eth0]"), ("[2001:DB8::A]", "[2001:db8::a]"),
    ])
    func `The zone of an address lost its case`(host: String, canonical: String) throws {
        #expect(try URLHost.canonical(host) == canonical)
    }

    @Test func `A request could have two Host fields`() async throws {
        var request = HTTPRequest(url: "http://127.0.0.1:1/", fields: ["Host": "a", "host": "b"])
        let error = #expect(throws: NetworkError.self) { try request.validate() }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.description == "a request can't have more than one Host field (RFC 9112, 3.2)")
        request.fields = ["host": "b"]
        try request.validate()
    }

    @Test(arguments: [
        ("http://München.invalid/ä?b=c", "xn--mnchen-3ya.invalid"),
        ("http://m%C3%BCnchen.invalid/", "xn--mnchen-3ya.invalid"),
        ("http://example.invalid/", "example.invalid"),
    ])
    func `A host beyond ASCII could not be used in a request's URL`(
        url: String, host: String
    ) throws {
        let parsed = try RequestURL(url)
        #expect(parsed.origin.host == host)
        #expect(parsed.text.hasPrefix("http://\(host)/"))
        let redirected = try RequestURL(
            location: url, from: RequestURL("http://example.invalid/"))
        #expect(redirected.origin.host == host)
        #expect(redirected.text.hasPrefix("http://\(host)/"))
    }

    @Test func `A host that can't be encoded is named`() {
        let error = #expect(throws: NetworkError.self) {
            try RequestURL("http://a\u{FB01}.invalid/")
        }
        #expect(
            error?.description
                == "the host 'a\u{FB01}.invalid' has a character that no host name can have (U+FB01)"
        )
    }

    @Test(arguments: [
        (
            RequestRate(5_000_000, per: .seconds(86_400)),
            RequestRate(1_000_000, per: .seconds(17_280))
        ),
        (RequestRate(1_000_000, per: .seconds(1)), RequestRate(1_000_000, per: .seconds(1))),
        (RequestRate(1_000_001, per: .seconds(2)), RequestRate(500_000, per: .seconds(1))),
    ])
    func `A count beyond the greatest was cut, and its period was not`(
        rate: RequestRate, equal: RequestRate
    ) {
        #expect(RequestPace(rate) == RequestPace(equal))
    }

    @Test(arguments: [
        RequestRate(.max, per: .milliseconds(1)), RequestRate(.max, per: .seconds(Int64.max)),
        RequestRate(1_000_000, per: .seconds(Int64.max)), RequestRate(1, per: .seconds(Int64.max)),
    ])
    func `A rate of any numbers is a pace that is not faster`(rate: RequestRate) {
        let pace = RequestPace(rate)
        #expect(pace.size > 0 && pace.span > 0)
        let asked = Double(rate.count) / Double(rate.period.nanoseconds)
        #expect(Double(pace.size) / Double(pace.span) <= asked * 1.000_001)
    }
}
