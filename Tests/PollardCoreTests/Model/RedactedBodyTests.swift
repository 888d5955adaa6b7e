// SPDX-License-Identifier: Apache-2.0

import PollardTestSupport
import Testing

@testable import PollardCore

/// Bodies in which a server sends back the secrets that it was sent.
@Suite struct RedactedBodyTests {
    private static let token = "s3cret/token+\"x"

    /// What the store keeps of one answer.
    private func kept(
        _ body: [UInt8], type: String = "application/json", token: String = Self.token
    ) async throws -> NewChange {
        let answer = Answer(status: 200, contentType: type, body: body)
        let fixture = try PipelineFixture([.success(answer)]) {
            $0.request.authentication = .bearer(Secret(token))
        }
        _ = await fixture.poll(times: 1)
        return try #require(await fixture.store.commits.first)
    }

    private func text(_ change: NewChange) -> String {
        String(decoding: change.body, as: UTF8.self)
    }

    @Test(arguments: [
        #"{"you": "Bearer s3cret/token+\"x"}"#, #"{"you": "Bearer s3cret\/token+\u0022x"}"#,
        #"{"you": "Bearer s3cret%2Ftoken%2B%22x"}"#, #"{"you": "Bearer s3cret%2ftoken%2b%22x"}"#,
        #"{"you": "Bearer s3cret/token+&quot;x"}"#, #"{"you": "Bearer s3cret/token+%22x"}"#,
        #"{"you": "Bearer s3cret&#x2F;token&#43;&quot;x"}"#,
        #"{"you": "Bearer s3cret\/token+%22x"}"#,
        // Once missed: names, long numbers, escapes of escapes.
        #"{"you": "Bearer s3cret&sol;token&plus;&quot;x"}"#,
        #"{"you": "Bearer s3cret&#x0000000002F;token+&#0000034;x"}"#,
        #"{"you": "Bearer s3cret&amp;#x2F;token+&amp;quot;x"}"#,
        #"{"you": "Bearer s3cret\u0026#x2F;token+\u0026quot;x"}"#,
        #"{"you": "Bearer s3cret%252Ftoken%252B%2522x"}"#,
        #"{"you": "Bearer s3cret\\\\/token+\\\\\\\"x"}"#,
    ])
    func `A body that echoes a token is stored without it`(body: String) async throws {
        let change = try await kept(Array(body.utf8))
        #expect(text(change) == #"{"you": "Bearer [secret]"}"#)
        #expect(change.digest == MemoryStore.digest(of: change.body))
    }

    @Test func `The base64 of a token was stored`() async throws {
        for form in [Self.token.base64, Self.token.base64.replacing("=", with: "")] {
            let change = try await kept(Array(#"{"you": "\#(form)"}"#.utf8))
            #expect(text(change) == #"{"you": "[secret]"}"#)
        }
    }

    @Test(arguments: [
        #"a\b\\c/d"#, "abc%41def", "abc&lt;def&", #"C:\new\table""#, "100%25 of it",
        "&amp;&amp;&amp;",
    ])
    func `A secret that looks escaped itself is found as it is and escaped`(secret: String) {
        let redactor = Redactor(secrets: [Secret(secret)])
        let json = secret.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#)
        let html = secret.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing("\"", with: "&quot;")
        for echo in [secret, json, html, secret.percentEncoded] {
            #expect(redactor.redact(.text("x \(echo) y"))?.body == Array("x [secret] y".utf8))
        }
    }

    @Test func `Keys, texts within texts and all that is no secret are kept as they are written`()
        async throws
    {
        let body =
            #"{ "s3cret/token+\"x" : [1.50, "\u0041"], "log":"{\"t\":\"s3cret\/token+\\\"x\"}\n" }"#
        let change = try await kept(Array(body.utf8))
        #expect(
            text(change)
                == #"{ "[secret]" : [1.50, "\u0041"], "log":"{\"t\":\"[secret]\"}\u000a" }"#)
    }

    @Test func `A number that is a secret becomes a text, a part of one stays`() async throws {
        let body = Array(#"{"a": 1234567890, "b": 12345678901, "c": "1234567890"}"#.utf8)
        let change = try await kept(body, token: "1234567890")
        #expect(text(change) == #"{"a": "[secret]", "b": 12345678901, "c": "[secret]"}"#)
    }

    @Test func `Two keys that differ in secrets only leave no document`() async throws {
        let body = Array(#"{"s3cret/token+\"x": 1, "s3cret%2Ftoken%2B%22x": 2}"#.utf8)
        #expect(text(try await kept(body)) == #""[secret]""#)
    }

    @Test func `A text in another charset is stored without a token, in UTF-8`() async throws {
        let body = "you: s3cret/token+\"x\n".utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
        }
        let change = try await kept(body, type: "Text/Plain; charset=utf-16le")
        #expect(text(change) == "you: [secret]\n")
        #expect(change.contentType == "text/plain; charset=utf-8")
    }

    @Test func `Bytes are stored without a token`() async throws {
        let change = try await kept(
            [0xff] + Array(Self.token.utf8) + [0xfe], type: "application/octet-stream")
        #expect(change.body == [0xff] + Array("[secret]".utf8) + [0xfe])
    }

    @Test func `A token was stored because it was escaped in bytes`() async throws {
        let body = Array(#"{"a":"tok\/en+val=9","b":"tok&#47;en+val%3d9"}"#.utf8)
        let change = try await kept(
            body + [0xff], type: "application/octet-stream", token: "tok/en+val=9")
        #expect(change.body == Array(#"{"a":"[secret]","b":"[secret]"}"#.utf8) + [0xff])
    }

    @Test(arguments: [#"{ "a" : "\/" , "b":"s3cret/tok" }"#, "[]", #""secret""#])
    func `A body without secrets is stored as it came`(body: String) async throws {
        #expect(text(try await kept(Array(body.utf8))) == body)
    }

    @Test func `A short password is left in bodies, which hold its letters anyway`() async throws {
        let body = Array(#"{"test": 1}"#.utf8)
        #expect(text(try await kept(body, token: "test")) == #"{"test": 1}"#)
    }

    @Test func `A content type and validators that echo a token are not kept`() async throws {
        let answer = Answer(
            status: 200, contentType: "application/json; for=s3cret/token+\"x",
            body: Array("1".utf8),
            validators: Validators(
                entityTag: "\"s3cret/token+\"x-1\"", lastModified: "Sat, 01 Jan 2028 00:00:00 GMT"))
        let fixture = try PipelineFixture([.success(answer)]) {
            $0.request.authentication = .bearer(Secret(Self.token))
        }
        let result = await fixture.poll(times: 1)
        #expect(
            result.state.validators?.validators
                == Validators(lastModified: "Sat, 01 Jan 2028 00:00:00 GMT"))
        let change = try #require(await fixture.store.commits.first)
        #expect(change.contentType == "application/json; for=[secret]")
        #expect(change.state.validators == result.state.validators)
    }

    @Test func `An echoed token is no change, also after it was rotated`() async throws {
        let answers = ["first-token", "first-token", "other-token"].map {
            Result<Answer, PollFailure>.json(#"{"you": "\#($0)"}"#)
        }
        let store = MemoryStore()
        var state = EndpointState()
        for (answer, token) in zip(answers, ["first-token", "first-token", "other-token"]) {
            let fixture = try PipelineFixture([answer]) {
                $0.request.authentication = .bearer(Secret(token))
            }
            var pipeline = fixture.pipeline
            pipeline.changes = ChangeRecorder(store: store, reporter: fixture.reporter)
            state = await pipeline.poll(fixture.endpoint, from: state).state
        }
        #expect(await store.commits.map(\.kind) == [.first])
    }

    @Test func `A combining mark after a secret doesn't hide it`() {
        let redactor = Redactor(secrets: [Secret("abcdefgh")])
        #expect(redactor.redact("x abcdefgh\u{301} y") == "x [secret]\u{301} y")
    }

    @Test func `A large page with escapes takes no long time to look through`() {
        let page = String(repeating: #"<p>it\u0027s a line of text</p>"# + "\n", count: 1 << 15)
        let redactor = Redactor(secrets: [Secret("abcdefgh"), Secret("\"other'<token>")])
        var found: SnapshotContent?
        let elapsed = processorTime { found = redactor.redact(.text(page)) }
        #expect(found == nil)
        // A megabyte; the tests are built without optimization.
        #expect(elapsed < .seconds(30))
    }

    @Test(arguments: [
        #"\"#, #"\u0061"#, "&", "&amp;", "&#x0000", "%", "%25", "amp;", "abcdefg", #"\u0061bcdefg"#,
        "&percnt;25",
    ])
    func `A server that sends what looks like escapes made a poll slow and large`(piece: String) {
        let redactor = Redactor(secrets: [Secret("abcdefgh"), Secret("\"other'<token>")])
        func elapsed(_ count: Int) -> Duration {
            let bytes = Array(String(repeating: piece, count: count / piece.utf8.count).utf8)
            return processorTime { #expect(redactor.redact(.bytes(bytes)) == nil) }
        }
        // Eight times as much takes eight times as long; a quadratic search, 64 times.
        #expect(elapsed(1 << 16) < elapsed(1 << 13) * 24)
    }
}
