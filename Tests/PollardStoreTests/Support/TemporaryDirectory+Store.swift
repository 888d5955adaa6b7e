// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import PollardTestSupport

extension TemporaryDirectory {
    /// The path of the store in it.
    var store: String { path(of: "pollard.db") }

    /// The names of the files in it, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
