// SPDX-License-Identifier: Apache-2.0

/// The SHA-256 digest of a body, by which bodies are addressed in the store (FIPS 180-4).
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
    /// The length of a digest, in bytes.
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Makes a digest of `bytes`, which must be 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits, as `sha256sum` prints them.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
