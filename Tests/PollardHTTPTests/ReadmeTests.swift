// SPDX-License-Identifier: Apache-2.0

import PollardHTTP
import PollardTestSupport
import Testing

/// The sample of README.md, compiled and run.
@Suite struct ReadmeTests {
    private struct Person: Codable, Sendable, Equatable {
        var name: String
    }

    @Test func `The sample of the README gets a list of people`() async throws {
        let transport = StubTransport { request in
            #expect(request.url == "https://api.example.org/v1/people?page=1")
            return .json(#"[{"name": "Ada"}]"#)
        }

        let client = NetworkManager(transport: transport, baseURL: "https://api.example.org/v1")
        let people: [Person] = try await client.get(.path("/people", query: [QueryItem("page", 1)]))

        #expect(people == [Person(name: "Ada")])
        let readme = try ProjectFiles.text(of: "README.md")
        #expect(
            readme.contains(
                "let people: [Person] = try await client.get("
                    + #".path("/people", query: [QueryItem("page", 1)]))"#))
    }
}
