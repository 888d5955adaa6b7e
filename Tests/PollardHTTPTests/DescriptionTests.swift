// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import Testing

/// What is printed or dumped ends up in logs.
@Suite struct DescriptionTests {
    private struct Person: Codable, Sendable { var name: String }

    private static var values: [(any Sendable, String)] {
        let fields: HTTPFields = ["Authorization": "Bearer HUNTER2", "X": "HUNTER2"]
        let query = [QueryItem("key", "HUNTER2"), QueryItem("q", "HUNTER2")]
        var endpoint = AnyEndpoint(path: "/a", query: query, headers: fields)
        endpoint.method = .put
        endpoint.baseURL = "https://me:HUNTER2@h/b?key=HUNTER2"
        endpoint.authentication = .bearer("HUNTER2")
        endpoint.body = .json(["password": "HUNTER2"])
        var located = AnyEndpoint(path: "/a")
        located.host = "h"
        located.port = 8
        let client = NetworkManager(
            transport: StubTransport { _ in .json(#""HUNTER2""#) },
            baseURL: "https://me:HUNTER2@h/b?key=HUNTER2", headers: fields,
            authentication: .bearer("HUNTER2"))
        let response = HTTPResponse(
            status: 200, fields: fields, body: Array("HUNTER2".utf8), url: "https://h/a?k=HUNTER2")
        let form = MultipartForm([.field("f", "HUNTER2")])
        return [
            (fields, "[Authorization, X]"), (fields.lines[1], "X"), (query[0], "key"),
            (endpoint, "PUT https://h/b/a"), (located, "GET https://h:8/a"),
            (
                APIRequest<Person>(endpoint),
                "PUT https://h/b/a for 'Person'"
            ), (client, "client of 'https://h/b'"),
            (response, "200 https://h/a, 7 bytes"),
            (
                APIResponse(value: "HUNTER2", http: response),
                "200 https://h/a, 7 bytes as 'String'"
            ), (HTTPStream(response), "stream of 200 https://h/a"),
            (HTTPBody.json(["p": "HUNTER2"]), "a value of the type 'Dictionary<String, String>'"),
            (HTTPBody.json(text: "HUNTER2"), "7 bytes of the type 'application/json'"),
            (HTTPBody.bytes(Array("HUNTER2".utf8), contentType: nil), "7 bytes"),
            (HTTPBody.multipart(form), "a form of 1 parts"),
            (HTTPBody.file("/srv/a", contentType: nil), "the file '/srv/a'"),
            (
                HTTPRequest(url: "https://h/a?k=HUNTER2", fields: fields, body: response.body),
                "GET https://h/a"
            ),
        ]
    }

    @Test(arguments: values.indices)
    func `A printed or dumped value showed fields, query or content`(index: Int) {
        let (value, description) = Self.values[index]
        #expect(String(describing: value) == description)
        #expect(String(reflecting: value) == description)
        var dumped = ""
        dump(value, to: &dumped)
        #expect(!dumped.contains("HUNTER2"))
        // "HUNTER2" as bytes.
        #expect(!dumped.contains("72"))
    }
}
