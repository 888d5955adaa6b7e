// SPDX-License-Identifier: Apache-2.0

/// Gets access tokens: by a login, a refresh token, or from an authorization server.
///
/// A provider only gets them. The client that has it keeps the token, gets another shortly before
/// it expires or when a server refuses it (401), and does so once for all requests that wait:
///
/// ```swift
/// struct Login: TokenProvider {
///     func freshToken() async throws(NetworkError) -> AccessToken {
///         let session: Session = try await open.post(.path("/login"), credentials)
///         return AccessToken(session.token, lifetime: .seconds(session.expiresIn))
///     }
/// }
/// client.tokenProvider = Login(open: client, credentials: credentials)
/// ```
public protocol TokenProvider: Sendable {
    /// Gets a token that was not given before.
    ///
    /// It is called by one task at a time, which no request's cancellation cancels. A request waits
    /// for it as long as its total time limit says, and has that limit anew when it is sent.
    ///
    /// - Throws: `NetworkError`; every request that waits for the token fails with it, and the next
    ///   one has it called again. A token that is still good is used on instead, until it
    ///   expires, and another asked for every 5 s.
    func freshToken() async throws(NetworkError) -> AccessToken
}

/// A bearer token (RFC 6750), and for how long it is good.
///
/// No description or dump has a part of it.
public struct AccessToken: Sendable, Hashable {
    /// The token as it is sent after `Bearer `.
    public let value: String
    /// How long it is good from when it was asked for; nil if only a server's refusal tells.
    ///
    /// A hundred years or more mean the same as nil.
    public let lifetime: Duration?

    /// Makes a token.
    public init(_ value: String, lifetime: Duration? = nil) {
        self.value = value
        self.lifetime = lifetime
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, without any part of it.
    public var description: String { "access token" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
