// SPDX-License-Identifier: Apache-2.0

/// Why a file or directory can't be read.
struct FileError: Error, Equatable {
    let message: String
    let hint: String?
    /// Whether nothing has this path.
    let isMissing: Bool

    init(_ message: String, hint: String? = nil, isMissing: Bool = false) {
        self.message = message
        self.hint = hint
        self.isMissing = isMissing
    }
}
