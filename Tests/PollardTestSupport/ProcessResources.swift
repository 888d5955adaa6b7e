// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What this process holds of the system, as /proc/self shows it (proc(5)).
package struct ProcessResources: Sendable, Hashable {
    /// Open descriptors.
    package var descriptors: Int
    /// Threads.
    package var threads: Int

    /// Counts now.
    ///
    /// - Throws: If /proc can't be read.
    package static func now() throws -> ProcessResources {
        let files = FileManager.default
        return try ProcessResources(
            descriptors: files.contentsOfDirectory(atPath: "/proc/self/fd").count,
            threads: files.contentsOfDirectory(atPath: "/proc/self/task").count)
    }
}
