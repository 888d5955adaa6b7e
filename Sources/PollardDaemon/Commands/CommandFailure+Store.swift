// SPDX-License-Identifier: Apache-2.0

internal import Glibc
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
        systemError = Self.systemError(of: error.code)
    }

    private static func systemError(of code: StoreError.Code) -> Int32? {
        switch code {
        case .missing: ENOENT
        case .locked: EBUSY
        case .readOnly: EROFS
        case .permission: EACCES
        case .full: ENOSPC
        case .io: EIO
        case .corrupt, .newerVersion, .olderVersion, .notADatabase, .other: nil
        }
    }
}
