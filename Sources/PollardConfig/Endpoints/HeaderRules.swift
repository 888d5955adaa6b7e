// SPDX-License-Identifier: Apache-2.0

/// What header fields the configuration may set (RFC 9110, 5).
enum HeaderRules {
    /// Fields that frame or route the message: the transport alone knows their right values.
    static let reserved = ["host", "content-length", "transfer-encoding", "connection", "expect"]

    /// Fields that hold credentials, which are no business of all servers.
    static let credentials = ["authorization", "proxy-authorization", "cookie"]

    /// What is wrong with `name`; nil if it is a field name that may be set.
    ///
    /// A bad name is not shown: without the space after its ':', it has the value in it.
    static func problem(withName name: String) -> (message: String, hint: String?)? {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            return (
                "this is no header name",
                "use letters, digits and '-', then a ':' and a space"
            )
        }
        guard !reserved.contains(name.lowercased()) else {
            return ("the header '\(name)' can't be set", "it follows from the URL and the body")
        }
        return nil
    }

    /// What is wrong with `value`, without showing it; nil if it can be a field's value.
    static func problem(withValue value: String) -> String? {
        guard !value.hasControlCharacters else {
            return "has a line break or another control character, which no header can have"
        }
        guard value.utf8.count <= Bounds.maximumHeaderBytes else {
            return "is longer than \(Bounds.maximumHeaderBytes) bytes"
        }
        return nil
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLetter || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
