// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

@Suite struct MultipartFormTests {
    /// Always the same, so that the boundary is known.
    private struct Constant: RandomNumberGenerator {
        func next() -> UInt64 { 0xabc }
    }

    private static let boundary = "pollard-0000000000000abc0000000000000abc"

    private func form(_ parts: [MultipartForm.Part]) -> MultipartForm {
        var generator = Constant()
        return MultipartForm(parts, using: &generator)
    }

    @Test func `A form is sent as browsers send it`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("%PDF", to: "report of 2026.pdf")
        let server = try LoopbackServer(replies: .status(204))
        let form = form([
            .field("title", "Üben & \"mehr\"\r\n"),
            .file("document", at: path, contentType: "application/pdf"),
            .bytes("data", [0, 1, 0xff], filename: "a\"b ü\\.bin"),
            .bytes("json", Array("{}".utf8), filename: nil, contentType: "application/json"),
        ])
        let transport = try CurlTransport()
        _ = try await transport.send(HTTPRequest(url: server.url(), form: form))
        let request = server.requests[0]
        let expected =
            Array(
                """
                --\(Self.boundary)\r
                Content-Disposition: form-data; name="title"\r
                \r
                Üben & "mehr"\r\n\r
                --\(Self.boundary)\r
                Content-Disposition: form-data; name="document"; filename="report of 2026.pdf"\r
                Content-Type: application/pdf\r
                \r
                %PDF\r
                --\(Self.boundary)\r
                Content-Disposition: form-data; name="data"; filename="a%22b ü\\.bin"\r
                Content-Type: application/octet-stream\r
                \r\n
                """.utf8) + [0, 1, 0xff]
            + Array(
                """
                \r
                --\(Self.boundary)\r
                Content-Disposition: form-data; name="json"\r
                Content-Type: application/json\r
                \r
                {}\r
                --\(Self.boundary)--\r\n
                """.utf8)
        #expect(request.method == "POST")
        #expect(request["Content-Type"] == "multipart/form-data; boundary=\(Self.boundary)")
        #expect(request["Content-Length"] == "\(expected.count)")
        #expect(request.text == String(decoding: expected, as: UTF8.self))
        #expect(request.body == expected)
    }

    @Test func `A form without parts is an empty one`() throws {
        #expect(try form([]).upload().pieces == [.bytes(Array("--\(Self.boundary)--\r\n".utf8))])
    }

    @Test func `Boundaries differ`() {
        #expect(MultipartForm().contentType != MultipartForm().contentType)
    }

    @Test(arguments: [
        (
            MultipartForm.Part.field("a\r\nb", "secret"),
            #"the name 'a\r\nb' of a form's part has a control character"#
        ),
        (
            .file("a", at: "/tmp/b", filename: "b\n.txt"),
            #"the filename 'b\n.txt' of a form's part has a control character"#
        ),
        (
            .bytes("a", [], filename: nil, contentType: "text/plain\r\nX: y"),
            #"the media type 'text/plain\r\nX: y' of a form's part has a control character"#
        ),
    ])
    func `What would be another part is refused`(
        _ part: MultipartForm.Part, _ message: String
    ) {
        let error = #expect(throws: NetworkError.self) {
            try HTTPRequest(url: "http://127.0.0.1/", form: MultipartForm([part]))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description == message)
    }

    @Test func `Values are not in descriptions`() throws {
        let form = form([.field("password", "secret"), .file("f", at: "/srv/f")])
        let texts = [
            "\(form)", String(reflecting: form), "\(form.parts)", "\(try form.upload())",
            String(reflecting: try form.upload()),
        ]
        #expect(texts[0] == "a form of 2 parts")
        #expect(texts[3] == "an upload of '/srv/f'")
        #expect(texts.allSatisfy { !$0.contains("secret") })
        var dumped = ""
        dump(form, to: &dumped)
        #expect(!dumped.contains("secret") && !dumped.contains("115"))
    }
}
