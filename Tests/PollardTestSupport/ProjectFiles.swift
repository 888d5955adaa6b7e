// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Where the project's files are, and what was built of them.
package enum ProjectFiles {
    /// The directory of `Package.swift`, without a slash at the end.
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path(percentEncoded: false).trimmedSlash

    /// The path of an executable that was built beside the tests.
    ///
    /// - Parameter name: The product's name; the tests' target must depend on it.
    /// - Returns: An absolute path.
    /// - Throws: `CocoaError` if the tests' own executable can't be told.
    package static func executable(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own).deletingLastPathComponent().appending(path: name)
            .path(percentEncoded: false)
    }

    /// The text of a file of the project.
    ///
    /// - Parameter path: Relative to the root.
    /// - Returns: The whole text.
    /// - Throws: `CocoaError` if it can't be read or isn't UTF-8.
    package static func text(of path: String) throws -> String {
        try String(contentsOf: URL(filePath: "\(root)/\(path)"), encoding: .utf8)
    }
}

extension String {
    fileprivate var trimmedSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
