// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct ParsedURLsTests {
    @Test func `A URL is parsed once`() throws {
        let urls = ParsedURLs()
        let first = try urls.url("https://h.example/a?b=c")
        #expect(first.origin == Origin(isSecure: true, host: "h.example", port: 443))
        #expect(try urls.url("https://h.example/a?b=c").parts === first.parts)
        #expect(try urls.url("https://h.example/a?b=d").parts !== first.parts)
    }

    @Test func `A URL that only looks the same as one before keeps its own bytes`() throws {
        let urls = ParsedURLs()
        // U+212A, the sign for kelvin, is canonically equivalent to the letter.
        let (letter, sign) = ("http://h.example/K", "http://h.example/\u{212a}")
        #expect(letter == sign)
        for text in [letter, sign, letter, sign] {
            #expect(try urls.url(text).text.utf8.elementsEqual(text.utf8))
        }
    }

    @Test func `So many URLs are kept at most`() throws {
        let urls = ParsedURLs()
        let first = try urls.url("http://h.example/0")
        for number in 1...ParsedURLs.maximumCount { _ = try urls.url("http://h.example/\(number)") }
        #expect(try urls.url("http://h.example/0").parts !== first.parts)
    }

    @Test func `What can't be used is not kept`() throws {
        let urls = ParsedURLs()
        for _ in 0..<2 { #expect(throws: NetworkError.self) { try urls.url("mailto:a") } }
    }
}
