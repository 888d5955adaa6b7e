// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardHTTP
import PollardTestSupport
import Testing

/// The samples about formats and files, and that the page has all samples as they were compiled.
@Suite struct SampleFormatTests {
    @Test func `Property lists`() {
        var client = NetworkManager(transport: StubTransport { _ in .json("1") })
        // sample
        client.encoder = PropertyListEncoder()
        client.decoder = PropertyListDecoder()
        // end
        #expect(client.encoder.contentType == "application/x-plist")
    }

    @Test func `A value in the format of the encoder`() async throws {
        let person = ["name": "Ada"]
        let stub = StubTransport { _ in .json("1") }
        let client = NetworkManager(transport: stub, baseURL: "https://h")
        // sample
        try await client.put(.path("/people/7"), body: .encoded(person))
        // end
        #expect(stub.requests[0].body == Array(#"{"name":"Ada"}"#.utf8))
    }

    // sample
    struct Words: BodyDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from content: [UInt8]) throws -> Value {
            try WordDecoder().decode(type, from: String(decoding: content, as: UTF8.self))
        }
    }
    // end

    /// Stands for a decoder from elsewhere.
    struct WordDecoder {
        struct NoWords: Error {}

        func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
            guard let value = text.split(separator: " ").map(String.init) as? Value else {
                throw NoWords()
            }
            return value
        }
    }

    @Test func `A decoder of one's own`() async throws {
        var client = NetworkManager(
            transport: StubTransport { _ in HTTPResponse(status: 200, body: Array("a b".utf8)) })
        client.decoder = Words()
        #expect(try await client.get(.url("https://h/"), as: [String].self) == ["a", "b"])
    }

    @Test func `A stream, a download and an upload`() async throws {
        let stub = StubTransport { _ in .json("[]") }
        let client = NetworkManager(transport: stub, baseURL: "https://h")
        let lines = Watched<[String]>([])
        func print(_ value: Any) { lines.update { $0.append("\(value)") } }
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "export.csv")
        // sample
        let log = try await client.stream(.path("/log"))
        for try await piece in log { print(piece.count) }
        // end
        // sample
        var export = AnyEndpoint(path: "/export.csv")
        export.maximumBodyBytes = .max
        export.timeouts.total = .seconds(3600)
        try await client.download(export, to: path) { print($0.receivedBytes) }
        // end
        // sample
        try await client.put(.path("/backup.csv"), body: .file(path, contentType: "text/csv"))
        // end
        #expect(lines.value == ["2", "0", "2"])
        #expect(try directory.read("export.csv") == Array("[]".utf8))
        #expect(stub.requests.last?.upload == .file(path))
    }

    // MARK: - The page

    @Test func `The page has the samples as they were compiled, and no others`() throws {
        let page = Self.blocks(
            of: try ProjectFiles.text(of: "Documentation/PollardHTTP.md"), from: "```swift",
            to: "```")
        let compiled = try ["SampleTests", "SampleFormatTests"].flatMap { name in
            Self.blocks(
                of: try ProjectFiles.text(of: "Tests/PollardHTTPTests/\(name).swift"),
                from: "// sample", to: "// end")
        }
        #expect(page.count >= 20)
        for sample in page { #expect(compiled.contains(sample), "not compiled:\n\(sample)") }
        for sample in compiled { #expect(page.contains(sample), "not on the page:\n\(sample)") }
    }

    @Test func `Each of the ten most common uses takes at most three lines`() throws {
        let page = try ProjectFiles.text(of: "Documentation/PollardHTTP.md")
        let uses = page.split(separator: "\n# ").first.map(String.init) ?? ""
        let samples = Self.blocks(of: uses, from: "```swift", to: "```")
        #expect(samples.count == 12)  // Also the client, and two forms of the ninth.
        #expect(samples.allSatisfy { $0.split(separator: "\n").count <= 3 })
    }

    /// What stands between two lines, without the indentation of the first.
    private static func blocks(of text: String, from start: String, to end: String) -> [String] {
        var blocks: [String] = []
        var lines: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.drop { $0 == " " }
            if trimmed == start {
                lines = []
            } else if trimmed == end, let block = lines {
                let indentation = block.first?.prefix { $0 == " " }.count ?? 0
                blocks.append(
                    block.map { $0.isEmpty ? $0 : $0.dropFirst(indentation) }
                        .joined(separator: "\n"))
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return blocks
    }
}
