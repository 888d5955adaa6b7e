// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A system call of the tests' own tools failed.
package struct SystemCallError: Error, CustomStringConvertible {
    /// The call, as in `bind`.
    package let call: String
    /// Its `errno`.
    package let code: Int32

    /// Makes an error of the calling thread's `errno`, or of `code`.
    package init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    package var description: String {
        let text = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "?"
        return "\(call): \(text)"
    }
}
