// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// What a client adds to deferred requests, and what of it is not kept.
@Suite struct DeferredRequestsCredentialsTests {
    private let outbox: Outbox

    init() throws { outbox = try Outbox() }

    private func client(_ transport: any HTTPTransport) -> NetworkManager {
        NetworkManager(transport: transport, baseURL: "https://h/", retry: .never)
    }

    private func endpoint() -> AnyEndpoint {
        AnyEndpoint(path: "/notes").with {
            $0.method = .post
            $0.headers = ["X-Own": "of the endpoint"]
            $0.body = .json(["text": "a"])
        }
    }

    @Test func `A key of the client is not on the disk, and a new one takes its place`()
        async throws
    {
        let queue = try DeferredRequests(directory: outbox.path)
        let down = StubTransport.down()
        var client = client(down)
        client.headers = ["X-Api-Key": "OLDKEY", "X-App": "1.0", "Content-Type": "text/x-mine"]
        _ = try await queue.send(endpoint(), using: client)
        #expect(down.requests[0].fields["X-Api-Key"] == "OLDKEY")
        #expect(try !outbox.contains("OLDKEY"))
        #expect(await queue.pending[0].request.fields["X-Own"] == "of the endpoint")

        let up = StubTransport.up()
        client.transport = up
        client.headers = ["X-Api-Key": "NEWKEY", "X-App": "2.0"]
        #expect(try await queue.replay(using: client).delivered == 1)
        let sent = up.requests[0].fields
        #expect(sent[values: "X-Api-Key"] == ["NEWKEY"])
        #expect(sent[values: "X-App"] == ["2.0"])
        #expect(sent[values: "X-Own"] == ["of the endpoint"])
        // It says what the content is that was encoded then.
        #expect(sent[values: "Content-Type"] == ["text/x-mine"])
        #expect(sent["Idempotency-Key"] == down.requests[0].fields["Idempotency-Key"])
    }

    @Test(arguments: ["Authorization", "Proxy-Authorization", "cookie", "X-Key"])
    func `Credentials in a field of an endpoint are refused, since they would be lost`(
        name: String
    ) async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        let own = endpoint().with {
            $0.headers.append(name, "s3cret")
            $0.credentialFields = ["x-key"]
        }
        let client = client(StubTransport.down())
        let error = await #expect(throws: NetworkError.self) {
            try await queue.send(own, using: client)
        }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.description
                == "the endpoint has credentials of its own in '\(name)', which are not kept; "
                + "give them to the client")
        #expect(try outbox.files().isEmpty)
    }

    @Test func `A field that is a credential stays one in a replay`() async throws {
        let queue = try DeferredRequests(directory: outbox.path)
        var client = client(StubTransport.down())
        client.headers = ["X-Key": "1"]
        _ = try await queue.send(endpoint().with { $0.credentialFields = ["X-Key"] }, using: client)
        let up = StubTransport.up()
        client.transport = up
        try await queue.replay(using: client)
        #expect(up.requests[0].fields["X-Key"] == "1")
        #expect(up.requests[0].credentialFields.contains("X-Key"))
    }

    @Test func `An endpoint that wants no token and no repeat gets none, now and later`()
        async throws
    {
        let queue = try DeferredRequests(directory: outbox.path)
        let down = StubTransport.down()
        var client = client(down)
        client.authentication = .bearer("CLIENTTOK")
        client.retry = RetryPolicy(initial: .zero, retriesUnsafeMethods: true)
        let login = endpoint().with {
            $0.requiresToken = false
            $0.retry = .never
        }
        _ = try await queue.send(login, using: client)
        #expect(down.requests.map { $0.fields["Authorization"] } == [nil])
        let busy = StubTransport.up(503)
        client.transport = busy
        #expect(try await queue.replay(using: client).end == .postponed)
        #expect(busy.requests.map { $0.fields["Authorization"] } == [nil])
    }
}
