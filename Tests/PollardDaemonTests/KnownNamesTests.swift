// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@testable import PollardDaemon

@Suite struct KnownNamesTests {
    private func name(_ word: String, among names: [String]) throws -> String {
        let names = names.compactMap { EndpointName(rawValue: $0) }
        return try KnownNames(names: names, missing: "no '%'").name(for: word).rawValue
    }

    @Test func `A name in full wins over longer ones, and a start of one alone is enough`() throws {
        let names = ["orders", "orders-archive", "prices"]
        #expect(try name("orders", among: names) == "orders")
        #expect(try name("orders-", among: names) == "orders-archive")
        #expect(try name("p", among: names) == "prices")
    }

    @Test func `The names that a start is of are listed up to ten`() {
        let names = (10..<23).map { "shop-\($0)" }
        let failure = #expect(throws: CommandFailure.self) { try name("shop", among: names) }
        #expect(failure?.status == .noInput)
        #expect(
            failure?.text == """
                pollard: 'shop' begins the names of 13 endpoints
                hint: write more of one of them: shop-10, shop-11, shop-12, shop-13, shop-14, \
                shop-15, shop-16, shop-17, shop-18, shop-19, and 3 more
                """)
    }

    @Test(arguments: ["", "x", "\u{1b}[31m"])
    func `A word that names nothing is told safely`(word: String) {
        let failure = #expect(throws: CommandFailure.self) { try name(word, among: ["orders"]) }
        #expect(
            failure?.text == """
                pollard: no '\(SafeText.line(word))'
                hint: 'pollard status' lists the endpoints
                """)
    }
}
