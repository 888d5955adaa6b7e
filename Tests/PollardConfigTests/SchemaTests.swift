// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore
import Testing

@testable import PollardConfig

/// Keeps `config/pollard.schema.json` in step with the loader.
@Suite struct SchemaTests {
    private static let path = Fixtures.package.appending(path: "config/pollard.schema.json")

    private func schema() throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.path))
        return try #require(json as? [String: Any])
    }

    private func properties(of table: KeyTable) throws -> [String: [String: Any]] {
        let schema = try schema()
        let definitions = schema["$defs"] as? [String: [String: Any]]
        let map = table.name == "root" ? schema : definitions?[table.name]
        #expect(map?["additionalProperties"] as? Bool == false)
        return try #require(map?["properties"] as? [String: [String: Any]])
    }

    @Test(arguments: KeyTable.all.map(\.name))
    func `The schema has the keys that the loader knows`(name: String) throws {
        let table = try #require(KeyTable.all.first { $0.name == name })
        #expect(try properties(of: table).keys.sorted() == table.keys.sorted())
    }

    @Test func `Every key is described`() throws {
        let definitions = try #require(try schema()["$defs"] as? [String: [String: Any]])
        for table in KeyTable.all {
            for (key, value) in try properties(of: table) {
                var value = value
                if value.count == 1, let reference = value["$ref"] as? String {
                    value = definitions[String(reference.dropFirst(8))] ?? [:]
                }
                #expect(value["description"] is String, "\(table.name).\(key)")
            }
        }
    }

    @Test func `The schema's defaults are the loader's`() throws {
        func defaults(_ table: KeyTable) throws -> [String: Any] {
            try properties(of: table).compactMapValues { $0["default"] }
        }
        var endpoint = try defaults(.endpoint)
        #expect(endpoint.count == 13)
        endpoint["retry"] = try defaults(.retry)
        endpoint["alert"] = try defaults(.alert)
        endpoint["name"] = "a"
        endpoint["url"] = "http://a.example"
        let written: [String: Any] = ["endpoints": [endpoint], "limits": try defaults(.limits)]
        // JSON is YAML too.
        let text = try JSONSerialization.data(
            withJSONObject: written, options: .withoutEscapingSlashes)
        let files = try TemporaryFiles()
        try files.write(Array(text), to: "pollard.yaml")
        let silent = try Fixtures.loader.load(path: Fixtures.path("defaults-alone", in: "valid"))
        #expect(try Fixtures.loader.load(path: files.main) == silent)
    }

    @Test func `The schema accepts what the loader accepts`() throws {
        var documents: [String: String] = [:]
        for name in Fixtures.valid {
            let json: String = try #require(try json(Fixtures.path(name, in: "valid")))
            documents[name] = json
        }
        let sample = Fixtures.package.appending(path: "config/pollard.yaml")
        let json: String = try #require(try json(sample.path(percentEncoded: false)))
        documents["sample"] = json
        for (name, error) in try validate(documents) {
            #expect(error == nil, "\(name)")
        }
    }

    @Test func `The schema refuses what it can express of what the loader refuses`() throws {
        var documents: [String: String] = [:]
        var beyond: Set<String> = []
        for name in Fixtures.invalid {
            let path = Fixtures.path(name, in: "invalid")
            guard let json = try json(path) else { continue }
            documents[name] = json
            let text = try String(contentsOfFile: path, encoding: .utf8)
            if text.contains("\n# beyond the schema\n") { beyond.insert(name) }
        }
        #expect(documents.count > 100)
        for (name, error) in try validate(documents) {
            #expect((error == nil) == beyond.contains(name), "\(name): \(error ?? "accepted")")
        }
    }

    /// The JSON of the document in a file; nil if it is no YAML, or has what JSON lacks.
    private func json(_ path: String) throws -> String? {
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let parsed: YAMLNode?
        do throws(YAMLError) {
            parsed = try YAMLDocument.parse(bytes)
        } catch {
            return nil
        }
        guard let parsed else { return "{}" }
        let file = SourceFile(index: 0, path: path)
        return JSONText(Field(name: "file", node: parsed, file: file, log: DiagnosticLog()))?.text
    }

    /// The first error of each document, found by an implementation of JSON Schema.
    private func validate(_ documents: [String: String]) throws -> [String: String?] {
        // Put together as text: Foundation can't hold every number of a document.
        let members = documents.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        let schema = try String(contentsOf: Self.path, encoding: .utf8)
        let request = "{\"schema\":\(schema),\"documents\":{\(members)}}".utf8
        let files = try TemporaryFiles()
        try files.write(Array(request), to: "request.json")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        let script = Fixtures.directory
        process.arguments = [
            script.appending(path: "validate-schema.py").path(percentEncoded: false)
        ]
        process.standardInput = try FileHandle(
            forReadingFrom: URL(filePath: "\(files.directory)/request.json"))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "needs the package python3-jsonschema")
        return try JSONDecoder().decode([String: String?].self, from: try #require(answer))
    }
}
