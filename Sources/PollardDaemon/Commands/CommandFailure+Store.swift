// SPDX-License-Identifier: Apache-2.0

internal import PollardStore

extension CommandFailure {
    /// The failure of a command that could not open or read the store.
    init(_ error: StoreError) {
        let status: ExitStatus =
            switch error.code {
            case .missing: .noInput
            case .locked: .unavailable
            default: .inputOutput
            }
        self.init(status, error.message, hint: error.hint)
    }
}
