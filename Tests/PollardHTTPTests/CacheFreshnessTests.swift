// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

/// How old an answer is and may become (RFC 9111, 4.2): arithmetic alone.
@Suite struct CacheFreshnessTests {
    private let received: Int64 = 1_800_000_000

    private func freshness(
        _ fields: HTTPFields, delay: Int64 = 0, after seconds: Int64 = 0, status: Int = 200,
        limit: Int64 = 86_400
    ) -> CacheFreshness {
        let stored = StoredResponse(
            url: "https://h/", selecting: [:],
            response: HTTPResponse(status: status, fields: fields), requestTime: received - delay,
            responseTime: received)
        return CacheFreshness(stored, now: received + seconds, heuristicLimit: limit)
    }

    @Test func `The age is that of the field, the way here and the time in the cache`() throws {
        let date = try httpDate(received)
        let fields: HTTPFields = ["Date": date, "Age": "10", "Cache-Control": "max-age=100"]
        #expect(freshness(fields).age == 10)
        #expect(freshness(fields, delay: 4).age == 14)
        #expect(freshness(fields, delay: 4, after: 30).age == 44)
        #expect(freshness(fields, delay: 4, after: 30).remaining == 56)
    }

    @Test func `The age is at least what the date says`() throws {
        let fields: HTTPFields = ["Date": try httpDate(received - 50), "Age": "10"]
        #expect(freshness(fields, delay: 4).age == 50)
        let ahead: HTTPFields = ["Date": try httpDate(received + 50), "Age": "10"]
        #expect(freshness(ahead, delay: 4).age == 14)
    }

    @Test func `A clock that is set back makes nothing younger`() {
        #expect(freshness(["Age": "10"], after: -500).age == 10)
    }

    @Test func `An answer of exactly its lifetime is stale`() {
        #expect(freshness(["Cache-Control": "max-age=5"], after: 4).isFresh)
        #expect(!freshness(["Cache-Control": "max-age=5"], after: 5).isFresh)
    }

    @Test func `Expires counts from the date of the server`() throws {
        let fields: HTTPFields = [
            "Date": try httpDate(received + 1000), "Expires": try httpDate(received + 1060),
        ]
        #expect(freshness(fields).lifetime == 60)
        var two = fields
        two.append("Expires", try httpDate(received + 9000))
        #expect(freshness(two).lifetime == 0)
    }

    @Test func `A guess is a tenth of the time unchanged, up to the limit`() throws {
        let fields: HTTPFields = [
            "Date": try httpDate(received), "Last-Modified": try httpDate(received - 1000),
        ]
        #expect(freshness(fields).lifetime == 100)
        #expect(freshness(fields).isHeuristic)
        #expect(freshness(fields, limit: 30).lifetime == 30)
        #expect(freshness(fields, limit: 0).lifetime == 0)
        #expect(freshness(fields, status: 500).lifetime == 0)
        let future: HTTPFields = [
            "Date": try httpDate(received), "Last-Modified": try httpDate(received + 1000),
        ]
        #expect(freshness(future).lifetime == 0)
    }

    // MARK: - Directives

    @Test(arguments: [
        ("max-age=5", 5), ("MAX-AGE=5, max-age=7", 5), ("a=\"x, max-age=9\", max-age=5", 5),
        ("max-age=\"5\"", 5), ("max-age", 0), ("max-age=", 0), ("max-age=5s", 0),
        ("max-age =5", 0), ("max-age=-5", 0), ("max-age=99999999999999999999", 1 << 31),
        (",, max-age=5 ,", 5), ("a=\"\\\"\", max-age=5", 5),
    ])
    func `A number of seconds is read, or counts as none`(text: String, seconds: Int64) {
        #expect(CacheControl(["Cache-Control": text]).seconds("max-age") == seconds)
    }

    @Test func `Directives of several lines count, and no-cache may list fields`() {
        let control = CacheControl([
            "Cache-Control": "no-cache=\"A, b\"", "cache-control": "private",
        ])
        #expect(control.has("private"))
        #expect(control.isPlain("private"))
        #expect(control.has("no-cache"))
        #expect(!control.isPlain("no-cache"))
        #expect(control.fieldNames("no-cache") == ["a", "b"])
        #expect(control.seconds("max-age") == nil)
    }

    @Test(arguments: [
        "HTTPS://Example.org:443/a?b#c", "https://example.org/a?b",
    ])
    func `URLs of the same resource have one key`(url: String) throws {
        #expect(try CacheKey.url(of: url) == "https://example.org/a?b")
    }

    @Test(arguments: [
        ("http://h:80", "http://h/"), ("http://h?q", "http://h/?q"),
        ("http://[::1]:81/A", "http://[::1]:81/A"), ("http://h/a/../b", "http://h/a/../b"),
    ])
    func `A URL becomes a key`(url: String, key: String) throws {
        #expect(try CacheKey.url(of: url) == key)
    }
}
