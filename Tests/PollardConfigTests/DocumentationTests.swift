// SPDX-License-Identifier: Apache-2.0

import Foundation
import PollardCore
import Testing

@testable import PollardConfig

@Suite struct DocumentationTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: Fixtures.package.appending(path: path), encoding: .utf8)
    }

    /// The contents of the blocks that are marked as YAML.
    private func examples() throws -> [String] {
        var examples: [String] = []
        var example: String?
        for line in try text("CONFIGURATION.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line == "```yaml" {
                example = ""
            } else if line == "```", let complete = example {
                examples.append(complete)
                example = nil
            } else {
                example?.append("\(line)\n")
            }
        }
        return examples
    }

    @Test func `Every example is a valid configuration`() throws {
        let examples = try examples()
        #expect(examples.count == 7)
        for example in examples {
            // Some show a part of the file only.
            let files = try TemporaryFiles([
                "pollard.yaml": example, "conf.d/none.yaml": "endpoints: []",
            ])
            let loader = ConfigurationLoader(secrets: CountingSecrets())
            #expect(throws: Never.self, "\(example)") {
                try loader.load(path: files.main)
            }
        }
    }

    @Test func `Every key has a row in a table`() throws {
        let rows = try text("CONFIGURATION.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }.joined(separator: "\n")
        let elsewhere: Set = ["username", "password", "value", "credential", "env", "file"]
        for table in KeyTable.all {
            for key in table.keys where !elsewhere.contains(key) {
                #expect(rows.contains("`\(key)`"), "\(table.name).\(key)")
            }
        }
        for key in elsewhere { #expect(rows.contains("\(key): "), "\(key)") }
    }

    @Test func `The sample polls the demo`() throws {
        let path = Fixtures.package.appending(path: "config/pollard.yaml")
            .path(percentEncoded: false)
        let (configuration, warnings) = try Fixtures.loader.loadWithWarnings(path: path)
        #expect(warnings.isEmpty)
        let endpoints = configuration.endpoints
        #expect(endpoints.map(\.name.rawValue) == ["shop-products", "shop-status", "shop-flaky"])
        #expect(
            endpoints.map(\.request.url) == [
                "http://127.0.0.1:8080/products", "http://127.0.0.1:8080/status",
                "http://127.0.0.1:8080/flaky",
            ])
        #expect(endpoints.map(\.interval) == [.seconds(2), .seconds(2), .seconds(1)])
        let id = IdentityRule(list: nil, identity: .pointer(try PathPattern("/id")))
        #expect(endpoints[0].rules.identity == [id])
        #expect(endpoints[1].rules.ignore == [try PathPattern("/time")])
        #expect(endpoints[2].alert.after == 2)
        #expect(endpoints[2].retry.attempts == 1)
    }
}
