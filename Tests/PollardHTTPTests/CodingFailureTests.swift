// SPDX-License-Identifier: Apache-2.0
import PollardHTTP
import Testing

/// What an error says of content that can't be decoded: no secrets, and nothing that steers a
/// terminal.
@Suite struct CodingFailureTests {
    private enum Kind: String, Decodable { case one }

    private func failure<Value: Decodable & Sendable>(
        _ type: Value.Type, _ json: String, authentication: HTTPAuthentication? = nil
    ) async throws -> NetworkError {
        let client = NetworkManager(
            transport: StubTransport(.success(.json(json))), baseURL: "https://h",
            authentication: authentication)
        let error = await #expect(throws: NetworkError.self) {
            try await client.value(type, for: .path("/"))
        }
        return try #require(error)
    }

    @Test func `The reason quoted the value of a member that is named as a secret`() async throws {
        struct Session: Decodable { var token: [Kind] }
        let error = try await failure(Session.self, #"{"token": ["HUNTER2"]}"#)
        #expect(
            error.description
                == "the content can't be decoded as 'Session': token[0]: a value that can't be "
                + "used, and is not shown since it may be a secret")
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!"\(String(reflecting: error)) \(dumped)".contains("HUNTER2"))
    }

    @Test func `The reason quoted a credential that the server repeated`() async throws {
        struct Echo: Decodable { var said: Kind }
        let error = try await failure(
            Echo.self, #"{"said": "HUNTER2"}"#, authentication: .bearer("HUNTER2"))
        #expect(!error.description.contains("HUNTER2"))
        #expect(error.description.contains("said: "))
    }

    @Test func `A server's text could steer a terminal by way of the reason or the path`()
        async throws
    {
        let error = try await failure(
            [String: Kind].self, #"{"a\u001b[31m": "\u001b[31mred\u0007\u202e"}"#)
        let isSteering = error.description.unicodeScalars.contains {
            $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
        }
        #expect(!isSteering)
        #expect(error.description.contains(#"a\u{1B}[31m: "#))
    }

    @Test func `Nor can an error that was made by others`() {
        let cause = NetworkError(.transport, "c\u{1B}[0m\u{202E}")
        let error = NetworkError(
            .transport, "a\tb\u{7}", hint: "h\u{9B}", underlying: cause)
        #expect(error.description == #"a\tb\u{07}: c\u{1B}[0m\u{202E}; h\u{009B}"#)
    }

    @Test func `A value of megabytes is not in the reason`() async throws {
        let value = String(repeating: "x", count: 1_000_000)
        let error = try await failure([String: Kind].self, #"{"\#(value)": "\#(value)"}"#)
        #expect(error.description.count < 1000)
    }
}
