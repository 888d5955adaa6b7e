// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// The memory of this process, which holds secrets.
package enum ProcessMemory {
    /// Keeps the memory out of core dumps, and away from other processes of the same user.
    ///
    /// Whatever limits on core dumps the process was started with: a dump that is piped to a program
    /// has none (core(5)). From then on root alone may trace the process and read what /proc shows
    /// of its memory and environment (PR_SET_DUMPABLE in prctl(2)).
    ///
    /// - Throws: `SystemdError`; the kernel refuses it only if a sandbox does.
    package static func protect() throws(SystemdError) {
        guard pollard_set_undumpable() == 0 else {
            throw SystemdError(attempt: "keep secrets out of core dumps", code: errno)
        }
    }
}
