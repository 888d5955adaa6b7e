// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A call of libsystemd or of the kernel that failed.
package struct SystemdError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was tried, as in `notify the service manager`.
    package let attempt: String
    /// The positive error number (errno(3)).
    package let code: CInt

    package init(attempt: String, code: CInt) {
        self.attempt = attempt
        self.code = code
    }

    package var description: String { "cannot \(attempt): \(Self.text(of: code))" }

    /// The words for an error number, in lower case.
    ///
    /// strerror(3) of glibc keeps them per thread, since 2.32.
    static func text(of code: CInt) -> String {
        guard let words = unsafe strerror(code) else { return "error \(code)" }
        let text = unsafe String(cString: words)
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
