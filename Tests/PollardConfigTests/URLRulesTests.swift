// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardConfig

/// What is refused is among the invalid fixtures.
@Suite struct URLRulesTests {
    @Test(arguments: [
        "http://a", "https://a.example", "HTTP://A.EXAMPLE/", "http://127.0.0.1:1/",
        "http://a.example:65535", "http://[::1]", "https://[2001:db8::192.0.2.1]:8443/x",
        "http://a_b.example/~x/(y);z,'!$&*+=:@", "http://a.example?x=1&y=[2]",
        "http://a.example/@user:name", "http://xn--bcher-kva.example/%C3%BC", "http://a.example//",
    ])
    func `What can be polled is accepted`(url: String) {
        #expect(throws: Never.self) { try URLRules.check(url, as: .absolute) }
    }

    @Test(arguments: [
        "", "http", "http:/a", "//a", "http://", "http://:80", "http://a:", "http://a:0",
        "http://a:65536", "http://a:8o", "http://a:-1", "http://[::1", "http://[::1]x",
        "http://[]", "http://[::g]", "http://a@b", "http://a:b@c/", "http://a\\b", "http://a/\t",
        "http://a/\u{7F}", "http://a/%g0", "http://a/%2", "http://a/#", "javascript:alert(1)",
        "http://" + String(repeating: "a", count: 9000),
    ])
    func `What can't be polled is refused`(url: String) {
        #expect(throws: URLProblem.self) { try URLRules.check(url, as: .absolute) }
    }

    @Test func `A path is joined to its base with one slash`() {
        #expect(URLRules.join(base: "http://a/v1", path: "/x?y=/") == "http://a/v1/x?y=/")
        #expect(URLRules.join(base: "http://a/v1/", path: "/x") == "http://a/v1/x")
        #expect(URLRules.join(base: "http://a", path: "//b") == "http://a//b")
    }
}
