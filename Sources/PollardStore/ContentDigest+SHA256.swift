// SPDX-License-Identifier: Apache-2.0

package import PollardCore
internal import PollardDigest

extension ContentDigest {
    /// The SHA-256 of `body`.
    package init(of body: [UInt8]) {
        guard let digest = Self(bytes: SHA256.digest(of: body)) else {
            preconditionFailure("a SHA-256 has \(SHA256.byteCount) bytes")
        }
        self = digest
    }
}
