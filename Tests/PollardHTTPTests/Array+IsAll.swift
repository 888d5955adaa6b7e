// SPDX-License-Identifier: Apache-2.0
import Glibc

extension [UInt8] {
    /// Whether every byte is `byte`; of 100 MB in a moment, also without optimisation.
    func isAll(_ byte: UInt8) -> Bool {
        guard first == byte else { return isEmpty }
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start, start + 1, count - 1) == 0
        }
    }
}
