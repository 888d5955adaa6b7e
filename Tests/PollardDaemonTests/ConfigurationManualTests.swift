// SPDX-License-Identifier: Apache-2.0

import PollardConfig
import PollardCore
import PollardTestSupport
import Testing

/// pollard.yaml(5) against the schema and the loader.
@Suite struct ConfigurationManualTests {
    private static let keySections = [
        "TOP LEVEL", "ENDPOINTS", "REQUEST", "SCHEDULE", "COMPARISON", "REPORTS",
    ]

    /// A key of the configuration as the schema describes it.
    struct Key: Sendable, CustomTestStringConvertible {
        /// The keys of the maps around it and its own, as in `retry` and `attempts`.
        var path: [String]
        var schema: JSONValue

        var testDescription: String { path.joined(separator: ".") }
    }

    private let page: ManualPage
    private let directory: TemporaryDirectory

    init() throws {
        page = try ManualPage("pollard.yaml.5")
        directory = try TemporaryDirectory()
    }

    @Test func `Each key of the schema is explained, and no other`() throws {
        let documented = keyItems.map(\.path) + page.items.filter(Self.isSecret).map(\.path)
        let known = try Self.keys().map(\.path)
        #expect(Set(documented) == Set(known))
        #expect(documented.count == Set(documented).count)
    }

    @Test(arguments: try keys())
    func `Default, range and words of a key are those of the schema`(key: Key) throws {
        let item = try #require(page.items.first { $0.path == key.path })
        if let value = key.schema["default"] {
            let isEmpty = [.array, .object].contains(value.kind)
            let text = isEmpty ? "none" : value.string ?? value.text()
            #expect((item.text + "\n").contains("Default: \(text).\n"))
        }
        if let minimum = key.schema["minimum"]?.numberText,
            let maximum = key.schema["maximum"]?.numberText
        {
            #expect(item.text.contains("Number, \(minimum) to \(maximum)."))
        }
        if let range = key.schema["description"]?.string?.firstMatch(of: /from (\w+) to (\w+)/) {
            #expect(item.text.contains("Time span, \(range.1) to \(range.2)"))
        }
        for word in key.schema["enum"].map({ Array($0.items) }) ?? [] {
            let words = item.lines.prefix { !$0.hasPrefix("Default:") }
                .flatMap { $0.split { " ,.".contains($0) }.map(String.init) }
            #expect(words.contains(try #require(word.string)))
        }
    }

    @Test func `Each example loads without a warning`() throws {
        let examples =
            page.blocks(in: "EXAMPLES").filter { !$0.hasPrefix("[Service]") }
            + page.blocks(in: "DESCRIPTION")
        #expect(examples.count == 5)
        for example in examples {
            #expect(try warnings(of: example) == [], "\(example)")
        }
    }

    @Test func `Each key of an endpoint has an example that loads`() throws {
        let items = keyItems.filter { !["TOP LEVEL", "ENDPOINTS"].contains($0.section) }
        for key in Set(items.map { $0.path[0] }) {
            let examples = items.filter { $0.path[0] == key }
                .flatMap { ManualPage.blocks($0.lines) }
            #expect(!examples.isEmpty, "\(key)")
            for example in examples { #expect(try warnings(ofEndpointWith: example) == []) }
        }
    }

    // MARK: - Helpers

    /// The items that explain keys, those of secrets left out.
    private var keyItems: [ManualPage.Item] {
        page.items.filter { Self.keySections.contains($0.section) && !$0.head.hasPrefix("/") }
    }

    private static func isSecret(_ item: ManualPage.Item) -> Bool {
        item.section == "VALUES" && !item.path[0].contains { $0 == "," }
    }

    private func warnings(of text: String) throws -> [String] {
        let path = try directory.write(text, to: "pollard.yaml")
        return try ConfigurationLoader(secrets: AnySecret()).loadWithWarnings(path: path)
            .warnings.map(\.description)
    }

    private func warnings(ofEndpointWith example: String) throws -> [String] {
        let lines = example.split(separator: "\n").map { "    \($0)\n" }.joined()
        let isBody = ["json:", "form:", "body:"].contains { example.hasPrefix($0) }
        let method = isBody ? "    method: POST\n" : ""
        return try warnings(
            of: """
                endpoints:
                  - name: polled-whatever-the-example-says
                    url: http://127.0.0.1/
                  - name: example
                    url: https://127.0.0.1/
                \(method)\(lines)
                """)
    }

    /// The keys of all maps in `config/pollard.schema.json`.
    private static func keys() throws -> [Key] {
        let schema = try JSONValue(
            parsing: ProjectFiles.text(of: "config/pollard.schema.json"))
        let definitions = try #require(schema["$defs"])
        func keys(of name: String, below path: [String] = []) throws -> [Key] {
            let properties = try #require(definitions[name]?["properties"], "\(name)")
            return properties.members.map { Key(path: path + [$0.key], schema: $0.value) }
        }
        let endpoint = try keys(of: "endpoint")
        let api = try keys(of: "api", below: ["apis"]).filter { key in
            !endpoint.contains { $0.path.last == key.path.last }
        }
        let root = try #require(schema["properties"]).members
            .map { Key(path: [$0.key], schema: $0.value) }
        return try root + endpoint + api
            + ["limits", "store", "retry", "expect", "alert", "auth"].flatMap {
                try keys(of: $0, below: [$0])
            }
            + ["basic", "header"].flatMap { try keys(of: $0, below: ["auth", $0]) }
            + keys(of: "secretReference")
    }
}

/// A source in which every secret is there.
private struct AnySecret: SecretSource {
    func secret(for reference: SecretReference) -> Secret { Secret("secret") }
}
