// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PollardHTTP

@Suite struct ReceivedHeadTests {
    /// A head that received these lines.
    private func head(_ lines: String...) -> ReceivedHead {
        var head = ReceivedHead()
        for line in lines { _ = head.receive(Array("\(line)\r\n".utf8).span) }
        return head
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200), ("HTTP/1.1 404", 404), ("HTTP/2 204 ", 204),
        ("HTTP/1.0 2000 X", 200), ("HTTP/1.1 abc", 0), ("HTTP/1.1", 0),
    ])
    func `The status is read`(_ line: String, _ status: Int) {
        #expect(head(line).status == status)
    }

    @Test func `A status line starts anew and keeps the count of bytes`() {
        let head = head("HTTP/1.1 103 Early Hints", "Link: a", "", "HTTP/1.1 200 OK", "X: 1", "")
        #expect(head.status == 200)
        #expect(head.fields == ["X": "1"])
        #expect(head.isComplete)
        #expect(head.byteCount == 62)
    }

    @Test func `An interim answer is not complete`() {
        #expect(!head("HTTP/1.1 100 Continue", "").isComplete)
    }

    @Test func `Trailers are counted and dropped`() {
        let head = head("HTTP/1.1 200 OK", "", "X-Sum: 7")
        #expect(head.fields == [:])
        #expect(head.byteCount == 29)
    }

    @Test func `Blanks around names and values are dropped, and lines without a colon too`() {
        let head = head("HTTP/1.1 200 OK", "A :  b \t", "nonsense", ": c", "D:")
        #expect(head.fields == ["A": "b", "": "c", "D": ""])
    }

    @Test func `Control characters of a field become spaces`() {
        let head = head("HTTP/1.1 200 OK", "ETag: \"a\rX: b\"", "A: \u{1}b\tc\u{7F}", "")
        #expect(head.fields == ["ETag": "\"a X: b\"", "A": "b\tc "])
    }

    @Test(arguments: [" ", "\t", " \t "])
    func `A line of blanks does not end the head`(_ blanks: String) {
        let head = head("HTTP/1.1 200 OK", "A: b", blanks, "C: d", "")
        #expect(head.fields == ["A": "b", "C": "d"])
        #expect(head.isComplete)
    }

    @Test func `A field that looks like a status line is a field`() {
        let head = head("HTTP/1.1 200 OK", "A: b", "HTTP/1.1 500: x", "")
        #expect(head.status == 200)
        #expect(head.fields == ["A": "b", "HTTP/1.1 500": "x"])
    }

    @Test(
        arguments: [
            (["5"], .bytes(5)), (["5", "5"], .bytes(5)), (["5, 5"], .bytes(5)), ([], .open),
            (["0"], .bytes(0)), (["5", "3"], .invalid), (["5, 3"], .invalid), ([""], .invalid),
            (["x"], .invalid), (["+5"], .invalid), (["-1"], .invalid), (["5,"], .invalid),
            (["99999999999999999999"], .invalid), (["5 5"], .invalid),
        ] as [([String], ReceivedHead.ContentLength)])
    func `The declared length is one number, or it is told apart`(
        _ values: [String], _ length: ReceivedHead.ContentLength
    ) {
        var head = head("HTTP/1.1 200 OK")
        for value in values { _ = head.receive(Array("Content-Length: \(value)\r\n".utf8).span) }
        #expect(head.contentLength == length)
        _ = head.receive(Array("Transfer-Encoding: chunked\r\n".utf8).span)
        #expect(head.contentLength == .open)
    }
}
