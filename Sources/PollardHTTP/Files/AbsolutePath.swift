// SPDX-License-Identifier: Apache-2.0
internal import Glibc

extension String {
    /// The path from the root on: where a relative one leads is said by the working directory of
    /// now, and not by that of some later call.
    ///
    /// - Returns: The path; nil if the working directory is gone (`errno` says more).
    var absolutePath: String? {
        guard !hasPrefix("/") else { return self }
        guard let current = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(current) }
        return unsafe "\(String(cString: current))/\(self)"
    }
}
