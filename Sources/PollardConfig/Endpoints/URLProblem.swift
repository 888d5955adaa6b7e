// SPDX-License-Identifier: Apache-2.0

/// Why a text can't be the URL or path that it is used as; follows the name of its key.
struct URLProblem: Error, Equatable {
    let message: String
    let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}
