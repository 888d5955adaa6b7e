// SPDX-License-Identifier: Apache-2.0

internal import CCrypto
package import PollardCore

extension ContentDigest {
    /// The SHA-256 of `body` (FIPS 180-4), by OpenSSL.
    package init(of body: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        let succeeded = unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe EVP_Digest(body, body.count, digest.baseAddress, nil, EVP_sha256(), nil)
        }
        // It has no input that it can refuse; it fails without memory or without SHA-256.
        guard succeeded == 1, let digest = Self(bytes: digest) else {
            preconditionFailure("OpenSSL has no SHA-256")
        }
        self = digest
    }
}
