// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct WatchedEndpointTests {
    private func watched(
        _ url: String, configure: (inout EndpointConfiguration) throws -> Void = { _ in }
    ) throws -> WatchedEndpoint {
        var configuration = EndpointConfiguration(
            name: try "orders".endpoint, request: RequestConfiguration(url: url))
        try configure(&configuration)
        return WatchedEndpoint(configuration)
    }

    @Test(arguments: [
        ("https://a.example/x", "https://a.example/x"),
        ("https://a.example/x?page=2", "https://a.example/x?page=2"),
        (
            "https://a.example/x?page=2&api_key=abc&b",
            "https://a.example/x?page=2&api_key=[secret]&b"
        ),
        ("https://a.example/x?TOKEN=abc", "https://a.example/x?TOKEN=[secret]"),
        ("https://a.example/x?private_token=a", "https://a.example/x?private_token=[secret]"),
        ("https://a.example/?X-Amz-Signature=a", "https://a.example/?X-Amz-Signature=[secret]"),
        ("https://a.example/x?author=me", "https://a.example/x?author=me"),
    ])
    func `Secrets in a URL are known by their names`(url: String, shown: String) throws {
        #expect(try watched(url).displayURL == shown)
    }

    @Test func `Query parameters that are secrets are not shown`() throws {
        let endpoint = try watched("https://a.example/x") {
            $0.request.query = [
                .init(name: "page", value: .plain("2")),
                .init(name: "who", value: .secret(Secret("me"))),
                .init(name: "sig", value: .plain("abc")),
            ]
        }
        #expect(endpoint.displayURL == "https://a.example/x?page=2&who=[secret]&sig=[secret]")
    }

    @Test func `A secret is taken out of a text in every form in which it is sent`() throws {
        let endpoint = try watched("https://a.example/x") {
            $0.request.headers = [.init(name: "X-Key", value: .secret(Secret(#"a"b c"#)))]
        }
        let text = #"sent a"b c, as a%22b%20c, in {"key":"a\"b c"}"#
        #expect(
            endpoint.redactor.redact(text)
                == #"sent [secret], as [secret], in {"key":"[secret]"}"#)
    }

    @Test func `A secret within another leaves no rest of it`() throws {
        let endpoint = try watched("https://a.example/x") {
            $0.request.headers = [
                .init(name: "A", value: .secret(Secret("abc"))),
                .init(name: "B", value: .secret(Secret("abcdef"))),
            ]
        }
        #expect(endpoint.redactor.redact("abcdef abc") == "[secret] [secret]")
    }

    @Test func `A secret has no description`() {
        let secret = Secret("hunter2")
        #expect("\(secret)" == "[secret]")
        #expect(String(reflecting: secret) == "[secret]")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `The fingerprint follows what an answer means, and not a rotated token`() throws {
        let url = "https://a.example/x"
        let plain = try watched(url).fingerprint
        let edits: [(inout EndpointConfiguration) throws -> Void] = [
            { $0.request.url += "y" }, { $0.request.method = "POST" }, { $0.format = .text },
            { $0.request.query = [.init(name: "a", value: .plain("b"))] },
            { $0.request.headers = [.init(name: "Accept", value: .plain("text/csv"))] },
            { $0.request.body = .json("{}") },
            { $0.request.authentication = .basic(username: "me", password: Secret("x")) },
            { $0.rules.ignore = [try PathPattern("/t")] },
            { $0.rules.identity = [IdentityRule(list: nil, identity: .wholeItem)] },
        ]
        var seen: Set<String> = [plain]
        for edit in edits { seen.insert(try watched(url, configure: edit).fingerprint) }
        #expect(seen.count == edits.count + 1)
        let tokens = try ["one", "two"].map { token in
            try watched(url) { $0.request.authentication = .bearer(Secret(token)) }.fingerprint
        }
        #expect(tokens == [plain, plain])
    }
}

@Suite struct EndpointNameTests {
    @Test(arguments: ["a", "A1", "shop-products", "v1.2_x", String(repeating: "x", count: 64)])
    func `Names of letters, digits, dots, dashes and underscores are taken`(name: String) {
        #expect(EndpointName(rawValue: name)?.rawValue == name)
    }

    @Test(arguments: ["", "-a", ".a", "a b", "a/b", "ä", "a\n", String(repeating: "x", count: 65)])
    func `Other names are not`(name: String) {
        #expect(EndpointName(rawValue: name) == nil)
    }
}
