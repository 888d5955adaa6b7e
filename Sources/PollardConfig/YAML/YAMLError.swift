// SPDX-License-Identifier: Apache-2.0

/// Why a text is not the YAML that a configuration may be written in.
struct YAMLError: Error, Equatable {
    let mark: Mark
    let message: String
    let hint: String?

    init(at mark: Mark, _ message: String, hint: String? = nil) {
        self.mark = mark
        self.message = message
        self.hint = hint
    }
}
