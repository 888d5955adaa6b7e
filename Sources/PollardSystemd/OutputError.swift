// SPDX-License-Identifier: Apache-2.0

/// Output that was not taken, as by a full disk.
package struct OutputError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The positive error number (errno(3)).
    package let code: CInt

    package var description: String { SystemdError.text(of: code) }
}
