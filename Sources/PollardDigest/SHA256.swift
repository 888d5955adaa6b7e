// SPDX-License-Identifier: Apache-2.0
internal import CCrypto

/// SHA-256 (FIPS 180-4), by OpenSSL.
package enum SHA256 {
    /// The length of a digest, in bytes.
    package static let byteCount = 32

    /// The digest of `bytes`: 32 bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let succeeded = unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe EVP_Digest(bytes, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
        }
        // It has no input that it can refuse; it fails without memory or without SHA-256.
        guard succeeded == 1 else { preconditionFailure("OpenSSL has no SHA-256") }
        return digest
    }
}
