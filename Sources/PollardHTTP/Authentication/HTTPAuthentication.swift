// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Credentials, sent in a header field to the origin of the request only.
///
/// No description, dump or error has any part of a secret.
public struct HTTPAuthentication: Sendable, Hashable {
    private enum Kind: Hashable {
        case bearer(token: String)
        case basic(username: String, password: String)
        case header(name: String, value: String)
    }

    private let kind: Kind

    /// A bearer token in the `Authorization` field (RFC 6750).
    public static func bearer(_ token: String) -> Self { Self(kind: .bearer(token: token)) }

    /// A user name and a password in the `Authorization` field, in UTF-8 (RFC 7617).
    ///
    /// A user name can't have a colon; a request that has one fails with
    /// `NetworkError.Code.invalidRequest`.
    public static func basic(username: String, password: String) -> Self {
        Self(kind: .basic(username: username, password: password))
    }

    /// A secret in a header field of its own, as `X-API-Key`.
    public static func header(name: String, value: String) -> Self {
        Self(kind: .header(name: name, value: value))
    }

    /// The name of the header field that has the secret.
    public var fieldName: String {
        switch kind {
        case .bearer, .basic: "Authorization"
        case .header(let name, _): name
        }
    }

    /// The value of the header field.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest` if the credentials can't be sent.
    func fieldValue() throws(NetworkError) -> String {
        switch kind {
        case .bearer(let token):
            try check(token, "bearer token")
            return "Bearer \(token)"
        case .basic(let username, let password):
            try check(username, "user name")
            try check(password, "password")
            guard !username.utf8.contains(UInt8(ascii: ":")) else {
                throw NetworkError(
                    .invalidRequest, "the user name has a colon, which basic authentication can't")
            }
            return "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
        case .header(let name, let value):
            try check(value, "value of the field '\(name.escaped)'")
            return value
        }
    }

    /// Every text that gives the credentials away.
    var secrets: [String] {
        switch kind {
        case .bearer(let token): [token]
        case .basic(let username, let password):
            [password, Data("\(username):\(password)".utf8).base64EncodedString()]
        case .header(_, let value): [value]
        }
    }

    private func check(_ secret: String, _ what: String) throws(NetworkError) {
        guard secret.firstControlCharacter == nil else {
            throw NetworkError(.invalidRequest, "the \(what) has a control character")
        }
    }
}

extension HTTPAuthentication: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The kind of credentials, without any part of them.
    public var description: String {
        switch kind {
        case .bearer: "bearer authentication"
        case .basic: "basic authentication"
        case .header(let name, _): "authentication by the field '\(name.escaped)'"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
