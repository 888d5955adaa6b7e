// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import PollardConfig

/// A directory with a main file and `conf.d`, removed with the last reference.
final class TemporaryFiles {
    let directory: String
    var main: String { "\(directory)/pollard.yaml" }

    /// Writes `files`, by their paths below the directory.
    init(_ files: [String: String] = [:]) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        directory = url.path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: "\(directory)/conf.d", withIntermediateDirectories: true)
        for (path, text) in files {
            try write(Array(text.utf8), to: path)
        }
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(directory)/\(path)"))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// What is wrong with the configuration, with paths below the directory.
    func diagnostics() -> [String] {
        Fixtures.diagnostics(path: main).map(relative)
    }

    /// What is allowed but suspicious, with paths below the directory.
    func warnings() throws -> [String] {
        try Fixtures.loader.loadWithWarnings(path: main).warnings.map(relative)
    }

    private func relative(_ diagnostic: some CustomStringConvertible) -> String {
        diagnostic.description.replacing("\(directory)/", with: "")
    }
}
