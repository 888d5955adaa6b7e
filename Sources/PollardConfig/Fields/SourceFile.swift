// SPDX-License-Identifier: Apache-2.0

/// A file of the configuration, by its place in the order of loading.
struct SourceFile: Hashable, Sendable {
    let index: Int
    /// As it is shown in messages.
    let path: String
}

/// A place in one of the files.
struct Place: Hashable, Sendable {
    let file: SourceFile
    let mark: Mark

    /// How a message about `other` refers to this place.
    func reference(from other: Place) -> String {
        file == other.file ? "line \(mark.line)" : "\(file.path):\(mark.line):\(mark.column)"
    }
}
