// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Credentials, sent in a header field to the origin of the request only.
///
/// A client or an endpoint has them; a request for a transport gets them by
/// `HTTPRequest.authenticate(by:)`.
///
/// No description, dump or error has any part of a secret.
public struct HTTPAuthentication: Sendable, Hashable {
    private enum Kind: Hashable {
        case bearer(token: String)
        case basic(username: String, password: String)
        case digest(DigestCredentials)
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

    /// A user name and a password that are proved, not sent (RFC 7616): by MD5 or SHA-256.
    ///
    /// Each request is sent without them first; if the server asks by its answer (401), again with
    /// the proof, in the same attempt. Content is only sent the second time, also to a server that
    /// does not ask; one that refuses the request without its content (300 and above) never gets it.
    /// Of several challenges the first counts; SHA-512/256 and `auth-int` can't be proved, and the 401 is the answer. A
    /// server that asks for a password in another way does not get it.
    public static func digest(username: String, password: String) -> Self {
        Self(kind: .digest(DigestCredentials(username: username, password: password)))
    }

    /// A secret in a header field of its own, as `X-API-Key`.
    public static func header(name: String, value: String) -> Self {
        Self(kind: .header(name: name, value: value))
    }

    /// The name of the header field that has the secret.
    public var fieldName: String {
        switch kind {
        case .bearer, .basic, .digest: "Authorization"
        case .header(let name, _): name
        }
    }

    /// The value of the header field; nil if it depends on what the server asks.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest` if the credentials can't be sent.
    fileprivate func fieldValue() throws(NetworkError) -> String? {
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
        case .digest(let credentials):
            try check(credentials.username, "user name")
            try check(credentials.password, "password")
            return nil
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
        case .digest(let credentials): [credentials.password]
        case .header(_, let value): [value]
        }
    }

    /// The credentials that libcurl proves.
    fileprivate var digest: DigestCredentials? {
        if case .digest(let credentials) = kind { credentials } else { nil }
    }

    /// Refuses credentials that can't be sent.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest`.
    func validate() throws(NetworkError) { _ = try fieldValue() }

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
        case .digest: "digest authentication"
        case .header(let name, _): "authentication by the field '\(name.escaped)'"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A user name and a password that are proved to a server.
struct DigestCredentials: Sendable, Hashable {
    var username: String
    var password: String
}

extension HTTPRequest {
    /// Gives the request credentials, in place of those in the same field.
    ///
    /// They are for the origin of its URL: no redirect takes them to another.
    ///
    /// - Throws: `NetworkError.Code.invalidRequest` if they can't be sent.
    public mutating func authenticate(by authentication: HTTPAuthentication) throws(NetworkError) {
        let name = authentication.fieldName
        fields[name] = try authentication.fieldValue()
        if name.lowercased() == "authorization" { digest = authentication.digest }
        credentialFields.insert(name)
    }
}
