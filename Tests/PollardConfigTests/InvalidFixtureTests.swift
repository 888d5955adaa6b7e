// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PollardConfig

@Suite struct InvalidFixtureTests {
    @Test(arguments: Fixtures.invalid)
    func `An invalid file gives exactly the errors in its first comments`(name: String) throws {
        let path = Fixtures.path(name, in: "invalid")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let expected = text.split(separator: "\n").prefix { $0.hasPrefix("# ") }
            .filter { $0.hasPrefix("# error: ") }.map { String($0.dropFirst(9)) }
        #expect(!expected.isEmpty, "the file names no error")
        let found = Fixtures.diagnostics(path: path)
        #expect(found.map { Self.comment($0) } == expected)
    }

    /// `LINE:COLUMN: message (hint)`.
    static func comment(_ diagnostic: ConfigurationDiagnostic) -> String {
        diagnostic.description.replacing("\(diagnostic.file):", with: "")
            .replacing(" error: ", with: " ", maxReplacements: 1)
    }

    @Test(arguments: Fixtures.invalid)
    func `No message shows a secret`(name: String) {
        for diagnostic in Fixtures.diagnostics(path: Fixtures.path(name, in: "invalid")) {
            #expect(!diagnostic.description.contains("hunter2"))
            #expect(!diagnostic.description.contains("8675309"))
        }
    }
}
