// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Gets tokens for a program itself, by its id and secret (RFC 6749, 4.4).
///
/// ```swift
/// client.tokenProvider = OAuth2ClientCredentials(
///     tokenURL: "https://login.example.org/token", clientID: "pollard", clientSecret: secret,
///     transport: transport)
/// ```
///
/// Whatever the token endpoint answers, no text of an error has a part of a secret or token, and
/// the answer that an error holds has no content.
public struct OAuth2ClientCredentials: TokenProvider {
    /// How the client shows who it is (RFC 6749, 2.3.1).
    public enum Placement: Sendable, Hashable {
        /// In the `Authorization` field, which every server must support.
        case basic
        /// In the content, for servers that can't do better.
        case body
    }

    /// The absolute URL of the token endpoint.
    public var tokenURL: String
    /// The id that the authorization server gave to the program.
    public var clientID: String
    /// What the program is to be allowed to do, separated by spaces; nil for the server's default.
    public var scope: String?
    /// How the client shows who it is; in the `Authorization` field by default.
    public var placement: Placement
    /// Further parameters that the server wants, as `audience` or `resource`.
    ///
    /// No error has the values of those that are secrets by their names, as `client_assertion`.
    public var parameters: [QueryItem] = []
    private let clientSecret: String
    private let client: NetworkManager

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - tokenURL: The absolute URL of the token endpoint.
    ///   - clientID: The program's id.
    ///   - clientSecret: The program's secret.
    ///   - scope: What it is to be allowed to do, separated by spaces.
    ///   - placement: How the client shows who it is.
    ///   - transport: What sends the requests for tokens.
    ///   - environment: Where the time and chance of retrying come from; a test gives its own.
    public init(
        tokenURL: String, clientID: String, clientSecret: String, scope: String? = nil,
        placement: Placement = .basic, transport: any HTTPTransport,
        environment: RetryEnvironment = RetryEnvironment()
    ) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scope = scope
        self.placement = placement
        // To ask for a token twice gives two tokens and does no harm.
        client = NetworkManager(
            transport: transport, retry: RetryPolicy(retriesUnsafeMethods: true),
            environment: environment)
    }

    /// Asks the token endpoint for a token.
    ///
    /// - Throws: `NetworkError.Code.authentication` if it refuses, or answers something else than a
    ///   bearer token; `server` if it is out of order (408, 429, 5xx); else why it can't be reached.
    ///   It has the answer, without content, and the history of the requests for the token.
    public func freshToken() async throws(NetworkError) -> AccessToken {
        let request = request
        let response = try await client.response(for: request)
        guard response.status == 200 else { throw refusal(response, of: request) }
        let answer: Answer
        do {
            answer = try JSONDecoder().decode(Answer.self, from: response.body)
        } catch {
            throw failure(response, "answered what is no token: \(CodingFailure(error))")
        }
        guard answer.tokenType.lowercased() == "bearer" else {
            let type = redaction(of: request, and: answer.accessToken)
                .excerpt(of: answer.tokenType, upTo: Self.maximumTextLength)
            throw failure(response, "gave a token of the type \(type), not 'Bearer'")
        }
        guard !answer.accessToken.isEmpty else { throw failure(response, "gave an empty token") }
        return AccessToken(answer.accessToken, lifetime: answer.lifetime)
    }

    private var request: AnyEndpoint {
        var items = [QueryItem("grant_type", "client_credentials")]
        if let scope { items.append(QueryItem("scope", .some(scope))) }
        var request = AnyEndpoint(url: tokenURL)
        request.method = .post
        request.headers = ["Accept": "application/json"]
        // A redirect could take the secret in the content to someone else.
        request.maximumRedirects = 0
        request.maximumBodyBytes = Self.maximumAnswerBytes
        switch placement {
        case .basic:
            request.authentication = .basic(
                username: PercentEncoding.formValue(clientID),
                password: PercentEncoding.formValue(clientSecret))
        case .body:
            items.append(QueryItem("client_id", .some(clientID)))
            items.append(QueryItem("client_secret", .some(clientSecret)))
        }
        request.body = .form(items + parameters)
        return request
    }

    /// 1 MiB: a token has some kilobytes at most.
    private static let maximumAnswerBytes = 1 << 20

    private func failure(
        _ response: HTTPResponse, _ what: String, hint: String? = nil
    ) -> NetworkError {
        let isOutage = response.status >= 500 || Self.passing.contains(response.status)
        var error = NetworkError(
            isOutage ? .server : .authentication,
            "the token endpoint '\(tokenURL.withoutSecrets)' \(what)", about: response)
        error.hint = hint
        // It may hold the token, or repeat the secret.
        error.response?.body = []
        return error
    }

    /// What takes out of a text all that the request gives away.
    private func redaction(of request: AnyEndpoint, and token: String = "") -> SecretRedaction {
        SecretRedaction(
            [clientSecret, token] + (request.authentication?.secrets ?? [])
                + parameters.filter { SecretRedaction.isSecretName($0.name) }.compactMap(\.value))
    }

    /// Request Timeout and Too Many Requests: they say nothing about the credentials.
    private static let passing: Set<Int> = [408, 429]
}

// MARK: - What token endpoints answer

extension OAuth2ClientCredentials {
    /// A token (RFC 6749, 5.1).
    private struct Answer: Decodable {
        var accessToken: String
        var tokenType: String
        /// Nil if the server doesn't say, and also for a number that makes no sense.
        var lifetime: Duration?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case expiresIn = "expires_in"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            accessToken = try values.decode(String.self, forKey: .accessToken)
            tokenType = try values.decode(String.self, forKey: .tokenType)
            // Some servers give the number as a text.
            let text = try? values.decode(String.self, forKey: .expiresIn)
            let seconds =
                text.map { Double($0) }
                ?? (try? values.decode(
                    Double.self, forKey: .expiresIn))
            let longest = Double(AccessToken.longestLifetime.components.seconds)
            guard let seconds, (0...longest).contains(seconds) else { return }
            lifetime = .seconds(Int64(seconds))
        }
    }

    /// A refusal (RFC 6749, 5.2).
    private struct Refusal: Decodable {
        var error: String
        var error_description: String?
    }

    private func refusal(_ response: HTTPResponse, of request: AnyEndpoint) -> NetworkError {
        if Hop.location(response.status, response.fields) != nil {
            return failure(
                response, "redirects, which a secret does not follow",
                hint: "give the URL it redirects to")
        }
        guard let refusal = try? JSONDecoder().decode(Refusal.self, from: response.body) else {
            return failure(response, "answered \(response.statusText)")
        }
        let said = [refusal.error, refusal.error_description].compactMap { $0 }
            .joined(separator: ": ")
        return failure(
            response,
            "refuses: \(redaction(of: request).excerpt(of: said, upTo: Self.maximumTextLength))",
            hint: hint(for: refusal.error))
    }

    /// The most characters that an error has of a server's text.
    private static let maximumTextLength = 200

    private func hint(for error: String) -> String? {
        switch error {
        case "invalid_client": "check the client's id and secret, and where they are sent"
        case "invalid_scope": "check the scope '\((scope ?? "").escaped)'"
        case "unauthorized_client", "unsupported_grant_type":
            "allow the grant 'client_credentials' for the client at the server"
        default: nil
        }
    }
}

extension OAuth2ClientCredentials: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The client's id and the token endpoint, without any part of the secret.
    public var description: String {
        "client credentials of '\(clientID.escaped)' for '\(tokenURL.withoutSecrets)'"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
