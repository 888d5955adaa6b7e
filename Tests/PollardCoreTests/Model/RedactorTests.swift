// SPDX-License-Identifier: Apache-2.0

import PollardCore
import Testing

@Suite struct RedactorTests {
    private let secret = "s3cret/töken+𝄞\"x"

    @Test(arguments: [
        #"s3cret/töken+𝄞"x"#, #"s3cret\/t\u00f6ken+\ud834\udd1e\"x"#,
        #"\u0073\u0033cret\u002Ft\u00F6ken\u002b\uD834\uDD1E\u0022x"#,
        #"s3cret\\\/t\\u00f6ken+\\ud834\\udd1e\\\"x"#, #"s3cret\\/töken+𝄞\\\"x"#,
        "s3cret%2Ft%C3%B6ken%2B%F0%9D%84%9E%22x", "s3cret/t%c3%b6ken+%f0%9d%84%9e%22x",
        "s3cret/t&#246;ken+&#x1d11e;&quot;x", #"s3cret\/t\u00f6ken+\ud834\udd1e%22x"#,
    ])
    func `A server may escape a secret as it likes`(echo: String) {
        let redactor = Redactor(secrets: [Secret(secret)])
        #expect(redactor.redact("a \(echo)\(echo) b\\") == "a [secret][secret] b\\")
    }

    @Test func `Text that is no secret keeps its escapes`() {
        let text = #"~ /a "x\/y\u00e9\q\ud834\" -> "s3cr…""#
        #expect(Redactor(secrets: [Secret("other")]).redact(text) == text)
    }

    @Test(arguments: [
        ("Bearer s3cret/tö…", "Bearer [secret]…"), (#"s3cret\/t\u00…"#, "[secret]…"),
        (#""s3cret\/…" -> "s3cret/t…""#, #""[secret]…" -> "[secret]…""#),
        ("s3c… and s3cr…", "s3c… and [secret]…"), ("…", "…"),
        (#"s3cret/töken+𝄞"x… s3cre…"#, "[secret]… [secret]…"),
    ])
    func `The start of a secret that was cut is taken out too`(text: String, shown: String) {
        #expect(Redactor(secrets: [Secret(secret)]).redact(text) == shown)
    }

    @Test func `A long token that a server echoes leaves nothing of it in a cut line`()
        async throws
    {
        let token = String((0..<900).map { _ in "0123456789abcdef".randomElement() ?? "0" })
        let fixture = try PipelineFixture([
            .json(#"{"you": 1}"#), .json(#"{"you": "Bearer \#(token)"}"#),
            .failure(PollFailure(kind: .body, message: "odd line '\(token.prefix(40))…'")),
        ]) { $0.request.authentication = .bearer(Secret(token)) }
        _ = await fixture.poll(times: 3)
        let summary = try #require(await fixture.store.commits.last?.summary)
        #expect(summary.lines == [#"~ /you 1 -> "Bearer [secret]""#])
        for entry in fixture.reporter.entries {
            let texts = [entry.message] + entry.fields.map(\.value)
            #expect(texts.allSatisfy { !$0.contains(token.prefix(4)) })
        }
    }

    @Test func `Basic credentials are taken out as they are sent`() async throws {
        let fixture = try PipelineFixture([
            .json("{}"), .json(#"{"Authorization": "Basic bWU6aHVudGVyMg=="}"#),
        ]) { $0.request.authentication = .basic(username: "me", password: Secret("hunter2")) }
        _ = await fixture.poll(times: 2)
        let summary = try #require(await fixture.store.commits.last?.summary)
        #expect(summary.lines == [#"+ /Authorization "Basic [secret]""#])
    }

    @Test func `What is a secret by its name is taken out, unless it is short`() throws {
        var configuration = EndpointConfiguration(
            name: try "orders".endpoint,
            request: RequestConfiguration(url: "https://a.example/x?sig=aGVsbG8gdGhl%3D&key=EUR"))
        configuration.request.headers = [
            .init(name: "Authorization", value: .plain("Bearer header-token")),
            .init(name: "X-Api-Key", value: .plain("header-key")),
            .init(name: "Accept", value: .plain("application/json")),
        ]
        configuration.request.body = .form([.init(name: "password", value: .plain("form-word"))])
        let endpoint = WatchedEndpoint(configuration)
        let text = "aGVsbG8gdGhl= aGVsbG8gdGhl%3D header-token header-key form-word EUR"
        #expect(
            endpoint.redactor.redact(text + " application/json")
                == "[secret] [secret] [secret] [secret] [secret] EUR application/json")
        #expect(endpoint.displayURL == "https://a.example/x?sig=[secret]&key=[secret]")
    }

    @Test(arguments: ["1234", "op", "\"", ":"])
    func `A patch stays JSON when a secret is taken out of it, or is left out`(secret: String)
        async throws
    {
        let fixture = try PipelineFixture([
            .json(#"{"a": 0}"#), .json(#"{"a": 1234}"#),
        ]) { $0.request.authentication = .bearer(Secret(secret)) }
        _ = await fixture.poll(times: 2)
        let summary = try #require(await fixture.store.commits.last?.summary)
        if let patch = summary.patch {
            #expect(throws: Never.self) { try JSONValue(parsing: Array(patch.utf8)) }
        } else {
            #expect(
                summary.remarks == ["there is no patch, which would not be JSON without a secret"])
        }
    }

    @Test func `Random texts around a secret keep all but the secret`() {
        var generator = Generator(seed: 5)
        let redactor = Redactor(secrets: [Secret("abcdefgh"), Secret("abcdxyz")])
        let pieces = [
            "abcdefgh", "abcdxyz", #"\u0061bcdefgh"#, "abcd…", "abcdx…", "ab…", #"\"#, #"\u00…"#,
            "…", "é", #"\/"#, "-",
        ]
        for _ in 0..<2000 {
            let text = (0..<generator.below(8)).map { _ in generator.pick(pieces) }.joined()
            // Escaped three times or more: nobody does, and it is not looked for.
            if text.contains(#"\\\\"#) { continue }
            let shown = redactor.redact(text)
            #expect(!shown.contains("abcd") && !shown.contains("bcde"), "\(text)")
            for kept in ["é", "-", "…"] as [Character] {
                #expect(shown.count { $0 == kept } == text.count { $0 == kept }, "\(text)")
            }
        }
    }
}
