// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PollardTestSupport
import Testing

/// Every sample of the documentation is in a file of this folder, which compiles and runs it.
@Suite struct CatalogTests {
    private static let sources = "Sources/PollardHTTP"
    private static let folder = "Tests/PollardHTTPTests/Documentation"

    /// All that is compiled, without what the formatter may change.
    private static func compiled() throws -> String {
        try ["DocumentationSamples", "TransferSamples"].map { name in
            words(try ProjectFiles.text(of: "\(folder)/\(name).swift"))
        }.joined()
    }

    /// The pages of the catalog, and the sources whose doc comments have such samples.
    private static func documents() throws -> [String] {
        try ["\(sources)/PollardHTTP.docc", "\(sources)/Observation"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: "\(ProjectFiles.root)/\(folder)")
                .map { "\(folder)/\($0)" }
        }.sorted()
    }

    /// The blocks that are marked as Swift, in Markdown or in doc comments.
    private static func samples(_ path: String) throws -> [String] {
        var samples: [String] = []
        var sample: String?
        for line in try ProjectFiles.text(of: path).split(separator: "\n") {
            var text = line.drop { $0 == " " }
            if text.hasPrefix("///") { text = text.dropFirst(3).drop { $0 == " " } }
            switch (text, sample) {
            case ("```swift", nil): sample = ""
            case ("```", let whole?):
                samples.append(whole)
                sample = nil
            default: sample?.append("\(text)\n")
            }
        }
        return samples
    }

    /// A text without what the formatter may change: the breaks between lines, and the indentation.
    private static func words(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    @Test func `Every sample of the catalog is compiled and run`() throws {
        let compiled = try Self.compiled()
        var count = 0
        for document in try Self.documents() {
            for sample in try Self.samples(document) {
                let isCompiled = compiled.contains(Self.words(sample))
                #expect(
                    isCompiled,
                    "\(document) has what \(Self.folder) has not:\n\(sample)")
                count += 1
            }
        }
        #expect(count >= 29)
    }

    @Test func `The sample of the README is compiled and run`() throws {
        let compiled = try Self.compiled()
        let readme = try ProjectFiles.text(of: "README.md")
        let start = try #require(readme.firstRange(of: "    import PollardHTTP\n\n")).upperBound
        let end = try #require(readme[start...].firstRange(of: "\n\n")).lowerBound
        let sample = Self.words(String(readme[start..<end]))
        #expect(sample.hasPrefix("letclient=NetworkManager("))
        let isCompiled = compiled.contains(sample)
        #expect(isCompiled)
    }
}
