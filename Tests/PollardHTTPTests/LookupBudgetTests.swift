// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct LookupBudgetTests {
    private static let patience = LookupBudget.resolverPatience

    /// A budget with as many lookups left behind as it takes, one a nanosecond from 0 on.
    private func exhausted() -> LookupBudget {
        var budget = LookupBudget()
        budget.noteFound("found")
        for index in 0..<LookupBudget.maximumAbandoned {
            budget.noteAbandoned("dead\(index)", now: Int64(index))
        }
        return budget
    }

    private func allows(_ budget: LookupBudget, _ host: String, now: Int64) -> Bool {
        var budget = budget
        return budget.allows(host, now: now)
    }

    @Test func `Any name is looked up until many lookups are left behind`() {
        #expect(allows(LookupBudget(), "new", now: 0))
        #expect(!allows(exhausted(), "new", now: 100))
        #expect(!allows(exhausted(), "dead1", now: 100))
    }

    @Test func `Names that were found are looked up still`() {
        #expect(allows(exhausted(), "found", now: 100))
        var budget = exhausted()
        budget.noteAbandoned("found", now: 100)
        #expect(!allows(budget, "found", now: 100))
    }

    @Test func `A lookup is over when the resolver must have given up`() {
        #expect(!allows(exhausted(), "new", now: Self.patience - 1))
        #expect(allows(exhausted(), "new", now: Self.patience))
    }

    @Test func `The message says what to check`() {
        #expect(
            NetworkError.lookupRefused("a.example").description
                == "the name 'a.example' is not looked up while 64 other lookups are without an "
                + "answer; check the name server")
    }
}
