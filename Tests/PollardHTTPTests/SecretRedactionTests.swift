// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

/// What of a server's text becomes part of an error.
@Suite struct SecretRedactionTests {
    @Test(arguments: [
        ("the key hunter2 is wrong", "the key [removed] is wrong"),
        ("a%2Fb and a+b+c or a b c", "a%2Fb and [removed] or [removed]"),
        ("s/t s%2Ft", "[removed] [removed]"),
        ("hunter2hunter2", "[removed][removed]"), ("harmless", "harmless"),
    ])
    func `Known secrets are taken out wherever they are, encoded or not`(
        text: String, expected: String
    ) {
        let secrets = SecretRedaction(["hunter2", "a b c", "s/t", ""])
        #expect(secrets.redacted(text) == expected)
    }

    @Test(arguments: [
        #"{"echo":"you sent a\/b=c-SECRET"}"#, #"a\u002fb=c-SECRET"#, #"A a\u002Fb\u003dc-SECRET"#,
        "a&#47;b&#x3D;c-SECRET", "a%2fb%3dc-SECRET", #"\u0061\/b=c-SECRE\u0054"#,
    ])
    func `A secret that was escaped as in JSON, HTML or a URL was shown`(text: String) {
        let shown = SecretRedaction(["a/b=c-SECRET"]).redacted(text)
        #expect(shown.contains("[removed]") && !shown.contains("c-SECR"))
    }

    @Test func `A secret that looks escaped itself is known by its letters and when escaped`() {
        let secrets = SecretRedaction(["x%2Fy", #"p\/q"#, "&amp;1"])
        #expect(
            secrets.redacted(#"x%2Fy x%252Fy p\/q p\\\/q &amp;1 &amp;amp;1 x/y"#)
                == "[removed] [removed] [removed] [removed] [removed] [removed] x/y")
    }

    @Test func `Of a secret beyond ASCII no form is shown`() {
        let secrets = SecretRedaction(["pä😀"])
        #expect(
            secrets.redacted(#"p\u00e4\ud83d\uDE00 p%C3%A4%F0%9F%98%80 pä😀 p&#228;&#x1F600;"#)
                == "[removed] [removed] [removed] [removed]")
    }

    @Test func `A secret that was cut off was shown`() {
        let token = String(repeating: "AbCdEf0123456789/Zz9+", count: 13)
        let text = #"{"a":"\#(token)","b":"\#(token)","c":"\#(token)"}"#
        #expect(
            SecretRedaction([token]).excerpt(of: text, upTo: 80)
                == #"'{"a":"[removed]","b":"[removed]","c":"[removed]"}'"#)
        // Long enough to be cut itself.
        let many = String(repeating: token + " ", count: 1000)
        #expect(!SecretRedaction([token]).excerpt(of: many, upTo: 80).contains("AbC"))
        let long = (1...1500).map { String($0 &* 2_654_435_761, radix: 36) }.joined()
        let few = String(repeating: long + " ", count: 7)
        let mine = SecretRedaction([long]).excerpt(of: few, upTo: 80)
        #expect(!mine.contains(String(long.prefix(8))))
        let client = SecretRedaction([], and: { $0.replacing(long, with: "-") })
        #expect(!client.excerpt(of: few, upTo: 80).contains(String(long.prefix(8))))
    }

    @Test(arguments: [
        ("Authorization", true), ("cookie", true), ("X-Api-Key", true), ("X-Auth-Key", true),
        ("Ocp-Apim-Subscription-Key", true), ("X-Amz-Security-Token", true), ("X-Auth", true),
        ("X-Mine", true), ("Idempotency-Key", false), ("Accept", false), ("User-Agent", false),
        ("X-Request-ID", false), ("X-Author", false), ("If-None-Match", false),
    ])
    func `Fields that hold credentials are known by their names`(name: String, expected: Bool) {
        #expect(CredentialField.contains(name, named: ["x-mine"]) == expected)
    }

    @Test(arguments: [
        (
            "invalid header 'Authorization: Bearer eyJhbGci.x-y'",
            "invalid header 'Authorization: Bearer [removed]'"
        ),
        ("got basic QWxhZGRpbjpvcGVu", "got basic [removed]"),
        ("Bearer token is missing", "Bearer token is missing"),
        ("basic authentication is required", "basic authentication is required"),
        ("see https://me:pw@h/a@b", "see https://[removed]@h/a@b"),
        ("see https://h/?api_key=abc&page=2", "see https://h/?api_key=[removed]&page=2"),
        ("X-Amz-Signature=0a1b;x=y", "X-Amz-Signature=[removed];x=y"),
        (#"{"password": "a\"b", "name": "c"}"#, #"{"password":"[removed]", "name": "c"}"#),
        (#"{"accessToken":12,"n":1}"#, #"{"accessToken":"[removed]","n":1}"#),
        (#"{"refresh_token": "cut of"#, #"{"refresh_token":"[removed]""#),
        ("keyboard=1 monkey=2 key=3", "keyboard=1 monkey=2 key=[removed]"),
        ("invalid token: expired", "invalid token: expired"),
    ])
    func `Other secrets are known by what stands before them`(text: String, expected: String) {
        #expect(SecretRedaction().redacted(text) == expected)
    }

    @Test func `The secrets of an endpoint are those that it sends`() {
        var endpoint = AnyEndpoint(
            path: "/a", query: [QueryItem("api_key", "query1"), QueryItem("q", "harmless")])
        endpoint.headers = [
            "x-key": "field1", "Cookie": "cookie1", "authorization": "Custom value1",
            "Accept": "harmless",
        ]
        endpoint.credentialFields = ["X-Key"]
        endpoint.authentication = .basic(username: "Aladdin", password: "open sesame")
        let secrets = SecretRedaction(of: endpoint, and: { $0.replacing("client1", with: "-") })
        #expect(
            secrets.redacted(
                "query1 field1 cookie1 value1 client1 open+sesame "
                    + "QWxhZGRpbjpvcGVuIHNlc2FtZQ== harmless")
                == "[removed] [removed] [removed] [removed] - [removed] [removed] harmless")
        endpoint.authentication = .bearer("t0ken")
        #expect(SecretRedaction(of: endpoint, and: { $0 }).redacted("t0ken") == "[removed]")
        endpoint.authentication = .header(name: "X", value: "v4lue")
        #expect(SecretRedaction(of: endpoint, and: { $0 }).redacted("v4lue") == "[removed]")
    }

    @Test(arguments: [
        ("a", 10, "'a'"), (" a\r\n\tb ", 10, "'a b'"), ("1234567890", 10, "'1234567890'"),
        ("12345678901", 10, "'1234567890...'"),
        ("a\u{1B}[1m\u{202E}", 30, #"'a\u{1B}[1m\u{202E}'"#),
        (String(repeating: "x", count: 1_000_000), 10, "'xxxxxxxxxx...'"),
    ])
    func `An excerpt is the beginning on one line`(text: String, limit: Int, expected: String) {
        #expect(SecretRedaction().excerpt(of: text, upTo: limit) == expected)
    }

    // MARK: - Places in JSON

    private func text(_ json: String, _ path: JSONPlace.Step...) -> String {
        String(decoding: JSONPlace.text(at: path, in: Array(json.utf8)), as: UTF8.self)
    }

    @Test func `The text at a place is found without decoding`() {
        let json = #" {"a\"": "}", "b": [1, {"c": [ ]}, "x,]\\" ,null], "b": 2, "e": {}} "#
        #expect(text(json) == json.dropFirst().dropLast())
        #expect(text(json, .key("b")) == #"[1, {"c": [ ]}, "x,]\\" ,null]"#)
        #expect(text(json, .key("b"), .index(0)) == "1")
        #expect(text(json, .key("b"), .index(1), .key("c")) == "[ ]")
        #expect(text(json, .key("b"), .index(2)) == #""x,]\\""#)
        #expect(text(json, .key("b"), .index(3)) == "null")
        #expect(text(json, .key("e")) == "{}")
    }

    @Test func `Of a place that is not there, the last value on the way is shown`() {
        #expect(text(#"{"a": {"b": 1}}"#, .key("a"), .key("c"), .key("d")) == #"{"b": 1}"#)
        #expect(text(#"{"a": [1]}"#, .key("a"), .index(1)) == "[1]")
        #expect(text(#"{"a": []}"#, .key("a"), .index(0)) == "[]")
        #expect(text("[1]", .key("a")) == "[1]")
        #expect(text("", .key("a")) == "")
        #expect(text(#"{"a"#, .key("a")) == #"{"a"#)
        #expect(text(#"{"a": "b\"#, .key("a")) == #""b\"#)
        #expect(text("]", .index(0)) == "")
    }

    @Test func `A document that is nested deeply is searched without recursion`() {
        let depth = 200_000
        let json = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(text("[\(json), 7]", .index(1)) == "7")
    }
}
