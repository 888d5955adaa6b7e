// SPDX-License-Identifier: Apache-2.0

/// The unique name of an endpoint: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`.
///
/// State and history belong to the name, so the URL of an endpoint may change without losing them.
package struct EndpointName: RawRepresentable, Hashable, Sendable, Comparable,
    CustomStringConvertible
{
    /// The longest name, in characters: it is a file name under `/run/pollard/events` too.
    package static let maximumLength = 64

    package let rawValue: String

    /// Makes a name, or `nil` if `rawValue` does not follow the pattern.
    package init?(rawValue: String) {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        let bytes = rawValue.utf8
        guard let first = bytes.first, isAlphanumeric(first), bytes.count <= Self.maximumLength
        else { return nil }
        let marks: [UInt8] = [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")]
        guard bytes.allSatisfy({ isAlphanumeric($0) || marks.contains($0) }) else { return nil }
        self.rawValue = rawValue
    }

    package var description: String { rawValue }

    package static func < (left: EndpointName, right: EndpointName) -> Bool {
        left.rawValue < right.rawValue
    }
}
