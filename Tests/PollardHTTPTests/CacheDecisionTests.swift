// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

/// What a cache does with a request, as a value: without a transport, a store or a clock.
@Suite struct CacheDecisionTests {
    private let now: Int64 = 1_800_000_000
    private let policy = CachePolicy(heuristicSeconds: 86_400)

    private func stored(
        _ fields: HTTPFields, at time: Int64? = nil, selecting: [String: String] = [:]
    ) -> StoredResponse {
        StoredResponse(
            url: "https://h/", selecting: selecting,
            response: HTTPResponse(status: 200, fields: fields), requestTime: time ?? now,
            responseTime: time ?? now)
    }

    private func decision(
        _ fields: HTTPFields = [:], method: HTTPMethod = .get, body: [UInt8]? = nil,
        _ stored: StoredResponse...
    ) -> CacheDecision {
        CacheDecision(
            for: HTTPRequest(url: "https://h/", method: method, fields: fields, body: body),
            stored: stored, now: now, policy: policy)
    }

    @Test func `The reason of a request is said`() {
        let fresh = stored(["Cache-Control": "max-age=9", "ETag": "\"1\""])
        #expect(decision() == .forward(.uriMiss))
        #expect(decision(method: .post, fresh) == .forward(.method))
        #expect(decision(body: [1], fresh) == .forward(.bypass))
        #expect(decision(["Cache-Control": "no-store"], fresh) == .forward(.bypass))
        #expect(decision(["Authorization": "a"], fresh) == .forward(.varyMiss))
        #expect(decision(["Cache-Control": "no-cache"], fresh) == .validate(fresh, .request))
        #expect(decision(["Cache-Control": "min-fresh=10"], fresh) == .validate(fresh, .request))
        let stale = stored(["Cache-Control": "max-age=9"], at: now - 9)
        #expect(decision([:], stale) == .validate(stale, .stale))
    }

    @Test func `Nothing is sent for only-if-cached, whatever is stored`() {
        let offline: HTTPFields = ["Cache-Control": "only-if-cached"]
        let stale = stored(["Cache-Control": "max-age=9"], at: now - 9)
        #expect(decision(offline) == .refuse)
        #expect(decision(offline, stale) == .refuse)
        #expect(decision(["Cache-Control": "only-if-cached, no-store"], stale) == .refuse)
    }

    @Test func `The variant that was received last is chosen`() {
        let old = stored(["Cache-Control": "max-age=90", "A": "old"], at: now - 20)
        let new = stored(["Cache-Control": "max-age=90", "A": "new"], at: now - 10)
        for decision in [decision([:], old, new), decision([:], new, old)] {
            guard case .reuse(let chosen, let freshness, false) = decision else {
                Issue.record("\(decision)")
                return
            }
            #expect(chosen == new)
            #expect(freshness.age == 10)
            #expect(freshness.remaining == 80)
        }
    }

    @Test(arguments: [
        ("max-stale", "", true), ("max-stale=10", "", true), ("max-stale=9", "", false),
        ("max-stale", ", must-revalidate", false), ("max-stale", ", no-cache", false),
        ("max-stale, max-age=5", "", false),
    ])
    func `A stale answer is used as far as both sides allow`(
        request: String, answer: String, isUsed: Bool
    ) {
        let stale = stored(["Cache-Control": "max-age=10\(answer)"], at: now - 20)
        let decision = decision(["Cache-Control": request], stale)
        if case .reuse = decision { #expect(isUsed) } else { #expect(!isUsed) }
    }

    @Test func `An unsafe method makes its own URL and those it names void`() {
        let request = HTTPRequest(url: "https://h/a/b", method: .post)
        let answer = HTTPResponse(
            status: 201, fields: ["Location": "../c?d", "Content-Location": "https://other/e"])
        #expect(
            CacheValidation.invalidated(by: request, answer)
                == ["https://h/a/b", "https://h/c?d"])
        let failed = HTTPResponse(status: 500, fields: answer.fields)
        #expect(CacheValidation.invalidated(by: request, failed).isEmpty)
        let get = HTTPRequest(url: "https://h/a/b")
        #expect(CacheValidation.invalidated(by: get, answer).isEmpty)
    }
}
