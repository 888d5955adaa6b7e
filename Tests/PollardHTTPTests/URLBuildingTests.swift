// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

/// How an absolute URL is made of a base URL, a path and query items (RFC 3986).
@Suite struct URLBuildingTests {
    private func url(
        _ base: String, _ path: URLPath = "", _ items: [QueryItem] = []
    ) throws(NetworkError) -> String {
        try BaseURL(base).appending(path, query: items)
    }

    private func refusal(_ base: String, _ path: URLPath = "") -> String? {
        do throws(NetworkError) {
            _ = try url(base, path)
            return nil
        } catch {
            return error.code == .invalidURL ? error.message : "the wrong code \(error.code)"
        }
    }

    @Test(arguments: [
        ("https://example.org", "https://example.org/"),
        ("https://example.org/", "https://example.org/"),
        ("HTTPS://Example.ORG/A", "https://example.org/A"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("https://example.org:443", "https://example.org/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("https://example.org:/a", "https://example.org/a"),
        ("https://example.org.:8443/", "https://example.org.:8443/"),
        ("https://192.0.2.1:8080/a", "https://192.0.2.1:8080/a"),
        ("https://my_host-1/", "https://my_host-1/"),
        ("https://[2001:DB8::1]/a", "https://[2001:db8::1]/a"),
        ("https://[::1]:8443?x", "https://[::1]:8443/?x"),
        ("https://[::ffff:192.0.2.1]/", "https://[::ffff:192.0.2.1]/"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
        ("https://example.org/a#fragment?x", "https://example.org/a"),
        ("https://example.org#f", "https://example.org/"),
        ("https://example.org?", "https://example.org/"),
        ("https://example.org?a=b&c=d+e/?", "https://example.org/?a=b&c=d+e/?"),
        ("https://example.org?q=ä b#f", "https://example.org/?q=%C3%A4%20b"),
        ("https://example.org/a b/ä", "https://example.org/a%20b/%C3%A4"),
        ("https://example.org/a%2Fb%20c", "https://example.org/a%2Fb%20c"),
        ("https://example.org/100%/%zz%4", "https://example.org/100%25/%25zz%254"),
        ("https://example.org/a;b=c,d:@!$&'()*+~", "https://example.org/a;b=c,d:@!$&'()*+~"),
        (
            #"https://example.org/a\b"c<d>^`{|}[]"#,
            "https://example.org/a%5Cb%22c%3Cd%3E%5E%60%7B%7C%7D%5B%5D"
        ),
        ("https://example.org/a\u{301}", "https://example.org/a%CC%81"),
        ("https://example.org/\u{301}", "https://example.org/%CC%81"),
        ("https://example.org/a/@b:c", "https://example.org/a/@b:c"),
    ])
    func `A base URL is kept, and what it can't hold is encoded`(
        base: String, expected: String
    ) throws {
        #expect(try url(base) == expected)
    }

    @Test(arguments: [
        ("https://h", "a", "https://h/a"),
        ("https://h", "/a", "https://h/a"),
        ("https://h/", "/a", "https://h/a"),
        ("https://h/v1", "a", "https://h/v1/a"),
        ("https://h/v1/", "a", "https://h/v1/a"),
        ("https://h/v1/", "/a/", "https://h/v1/a/"),
        ("https://h/v1", "", "https://h/v1"),
        ("https://h/v1/", "", "https://h/v1/"),
        ("https://h/v1?key=1", "/a", "https://h/v1/a?key=1"),
        ("https://h", "//evil.example/a", "https://h//evil.example/a"),
        ("https://h", "/a b/%2F/ü", "https://h/a%20b/%2F/%C3%BC"),
    ])
    func `One slash stands between the paths`(
        base: String, path: String, expected: String
    ) throws {
        #expect(try url(base, URLPath(path)) == expected)
    }

    @Test(arguments: [
        ([QueryItem("a", "b")], "a=b"),
        ([QueryItem("a", "1"), QueryItem("a", "2")], "a=1&a=2"),
        ([QueryItem("a", nil)], "a"),
        ([QueryItem("a", "")], "a="),
        ([QueryItem("a b", "c+d")], "a%20b=c%2Bd"),
        ([QueryItem("a&b", "c=d&e")], "a%26b=c%3Dd%26e"),
        ([QueryItem("q", "ä€😀")], "q=%C3%A4%E2%82%AC%F0%9F%98%80"),
        ([QueryItem("q", "100%25")], "q=100%2525"),
        (
            [QueryItem("q", "-._~/?#[]@!$'()*,;:\"")],
            "q=-._~%2F%3F%23%5B%5D%40%21%24%27%28%29%2A%2C%3B%3A%22"
        ),
        ([QueryItem("q", "\r\n\0")], "q=%0D%0A%00"),
        ([QueryItem("page", 10), QueryItem("all", true)], "page=10&all=true"),
    ])
    func `Query items mean what they say`(items: [QueryItem], expected: String) throws {
        #expect(try url("https://h/a", "", items) == "https://h/a?\(expected)")
        #expect(try url("https://h/a?x=y", "", items) == "https://h/a?x=y&\(expected)")
    }

    @Test func `A value in a path stays one segment`() throws {
        let (owner, name, number) = ("a/../b?c#d%2F", "ü &+", 7)
        #expect(
            try url("https://h", "/repos/\(owner)/\(name)/\(number)%20x y")
                == "https://h/repos/a%2F..%2Fb%3Fc%23d%252F/%C3%BC%20%26%2B/7%20x%20y")
        let up = ".."
        #expect(
            refusal("https://h", "/repos/\(up)/x")
                == "the path has a segment '.' or '..' once values are filled in")
        #expect(refusal("https://h", "/a\(".")/x") == nil)
        #expect(
            refusal("https://h", "/a/\("b\nc")")
                == "a path value has a control character (U+000A) at byte 1")
    }

    @Test(arguments: [
        ("ü.example", "xn--tda.example"),
        ("Bücher.Example", "xn--bcher-kva.example"),
        ("faß.de", "xn--fa-hia.de"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("почта.рф", "xn--80a1acny.xn--p1ai"),
        ("i❤.ws", "xn--i-7iq.ws"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("παράδειγμα", "xn--hxajbheg2az3al"),
    ])
    func `Host names beyond ASCII become Punycode`(host: String, expected: String) throws {
        #expect(try url("https://\(host)/") == "https://\(expected)/")
        #expect(
            try BaseURL(scheme: .http, host: host, port: 8080).origin
                == "http://\(expected):8080")
    }

    /// The samples of RFC 3492, 7.1, in lower case.
    @Test(arguments: [
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
        ("pročprostěnemluvíčesky", "proprostnemluvesky-uyb24dma41a"),
        ("-> $1.00 <-", "-> $1.00 <--"),
    ])
    func `Punycode is that of RFC 3492`(text: String, encoded: String) {
        #expect(Punycode.encode(text) == encoded)
    }

    @Test func `A host may be given apart from its scheme and port`() throws {
        #expect(try BaseURL(scheme: .https, host: "::1", port: 443).origin == "https://[::1]")
        #expect(try BaseURL(scheme: .http, host: "[::1]", port: 81).origin == "http://[::1]:81")
        let error = #expect(throws: NetworkError.self) {
            try BaseURL(scheme: .http, host: "h/../x", port: nil)
        }
        #expect(
            error?.message
                == "the host 'h/../x' has a character that no host name can have (U+002F)")
        #expect(throws: NetworkError.self) { try BaseURL(scheme: .http, host: "h:80", port: nil) }
        #expect(throws: NetworkError.self) { try BaseURL(scheme: .http, host: "h", port: 65_536) }
    }

    @Test(arguments: [
        ("example.org/a", "the URL has no scheme; begin it with https:// or http://"),
        ("", "the URL has no scheme; begin it with https:// or http://"),
        ("file:///etc/passwd", "the URL's scheme is 'file'; only http and https can be used"),
        (" https://h", "the URL has no scheme; begin it with https:// or http://"),
        ("https://", "the URL names no host"),
        ("https:///a", "the URL names no host"),
        ("https://:80/", "the URL names no host"),
        (
            "https://user:secret@h/",
            "the URL holds a user name or password; use authentication instead"
        ),
        ("https://@h/", "the URL holds a user name or password; use authentication instead"),
        ("https://h:0/", "the URL's port is '0'; it must be from 1 to 65535"),
        ("https://h:65536/", "the URL's port is '65536'; it must be from 1 to 65535"),
        (
            "https://h:99999999999999999999/",
            "the URL's port is '99999999999999999999'; it must be from 1 to 65535"
        ),
        ("https://h:8x/", "the URL's port is no number; it must be from 1 to 65535"),
        ("https://h:+8/", "the URL's port is no number; it must be from 1 to 65535"),
        ("https://[::1]8/", "the URL's port is no number; it must be from 1 to 65535"),
        ("https://[::1/", "the URL's IPv6 address has no closing bracket"),
        ("https://[::g]/", "the host '[::g]' is no IPv6 address"),
        ("https://[::1%25]/", "the host '[::1%25]' is no IPv6 address"),
        ("https://[v1.x]/", "the host '[v1.x]' is no IPv6 address"),
        ("https://a b/", "the host 'a b' has a character that no host name can have (U+0020)"),
        (
            #"https://h\@x.example/"#,
            "the URL holds a user name or password; use authentication instead"
        ),
        (#"https://h\x/"#, #"the host 'h\\x' has a character that no host name can have (U+005C)"#),
        (
            "https://%65xample/",
            "the host '%65xample' has a character that no host name can have (U+0025)"
        ),
        (
            "https://u\u{308}.de/",
            "the host 'u\u{308}.de' has a character that no host name can have (U+0308)"
        ),
        (
            "https://a\u{200B}b/",
            "the host 'a\u{200B}b' has a character that no host name can have (U+200B)"
        ),
        (
            "https://\u{FB01}sh.example/",
            "the host '\u{FB01}sh.example' has a character that no host name can have (U+FB01)"
        ),
        (
            "https://a\u{2024}example/",
            "the host 'a\u{2024}example' has a character that no host name can have (U+2024)"
        ),
        ("https://h/a\nb", "the URL has a control character (U+000A) at byte 11"),
        ("https://h\u{7F}/", "the URL has a control character (U+007F) at byte 9"),
        ("https://a..b/", "the host 'a..b' has an empty part between its dots"),
        ("https://./", "the host '.' has an empty part between its dots"),
    ])
    func `A base URL that can't be used is refused`(base: String, message: String) {
        #expect(refusal(base) == message)
    }

    @Test(arguments: [
        "h.example/?key=hunter2&next=https://x", "me:hunter2@h.example/https://x",
        "https://me:hunter2/x@h.example/", "https://me:hunter2", "https://me:hunter2@h.example/",
        "https://h.example:hunter2/", "https://h h/?key=hunter2", "https://h:0/?key=hunter2",
        "https://h/\u{1}?key=hunter2", "ftp://h/?key=hunter2",
    ])
    func `No refusal of a base URL quotes a secret`(base: String) throws {
        let message = try #require(refusal(base))
        #expect(!message.contains("hunter2"))
    }

    @Test func `Host names that are too long are refused`() throws {
        let label = String(repeating: "a", count: 63)
        let name = Array(repeating: label, count: 4).joined(separator: ".").dropLast(2)
        #expect(try url("https://\(name)/") == "https://\(name)/")
        #expect(refusal("https://\(name)b/") == "the host '\(name)b' is longer than 253 bytes")
        #expect(
            refusal("https://\(label)a/") == "the host '\(label)a' has a part longer than 63 bytes")
    }

    @Test(arguments: [
        ("/a?b", "the path has a '?'; give query items, or write '%3F' if it is part of the path"),
        ("/a#b", "the path has a '#'; write '%23' if it is part of the path"),
        ("/a\tb", "the path has a control character (U+0009) at byte 2"),
    ])
    func `A path that means something else is refused`(path: String, message: String) {
        #expect(refusal("https://h", URLPath(path)) == message)
    }
}
