// SPDX-License-Identifier: Apache-2.0
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// Requests that wait for one like them: in their own time, and with errors of their own.
@Suite struct CachingTransportWaitingTests {
    private let caching = CachingFixture()

    /// Ends its first request when the test says so, whatever its limits; answers the others.
    private struct Held: HTTPTransport {
        let requests = Watched<[HTTPRequest]>([])
        let first = Watched<Result<HTTPResponse, NetworkError>?>(nil)

        func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
            let count = requests.update {
                $0.append(request)
                return $0.count
            }
            guard count == 1 else { return HTTPResponse(status: 200, body: [2]) }
            do {
                try await first.wait(for: "an outcome") { $0 != nil }
            } catch {
                throw NetworkError(.cancelled, "it was cancelled")
            }
            return try first.value?.get() ?? HTTPResponse(status: 500)
        }
    }

    private func request(_ total: Duration = .seconds(60)) -> HTTPRequest {
        var request = HTTPRequest.get("https://h/")
        request.timeouts.total = total
        return request
    }

    /// Lets tasks go on that have nothing to wait for: likely, not surely.
    private func yieldOften() async { for _ in 0..<200 { await Task.yield() } }

    @Test func `Waiting for an equal request counts in one's own limit`() async throws {
        let held = Held()
        let transport = caching.transport(held)
        let request = request(.milliseconds(50))
        let first = Task { try await transport.send(request) }
        try await held.requests.wait(for: "the first request") { $0.count == 1 }
        let error = await #expect(throws: NetworkError.self) { try await transport.send(request) }
        #expect(error?.code == .timeout)
        #expect(error?.timeout == .total)
        #expect(error?.description == "no complete answer from h:443 within 50 ms")
        #expect(held.requests.value.count == 1)
        held.first.update { $0 = .success(HTTPResponse(status: 200)) }
        _ = try await first.value
    }

    @Test(arguments: [NetworkError.Code.timeout, .cancelled])
    func `A request that waits is not ended by the limit of another`(
        code: NetworkError.Code
    ) async throws {
        let held = Held()
        let transport = caching.transport(held)
        let request = request()
        let first = Task { try await transport.send(request) }
        try await held.requests.wait(for: "the first request") { $0.count == 1 }
        let second = Task { try await transport.send(request) }
        await yieldOften()
        held.first.update { $0 = .failure(NetworkError(code, "the first one's")) }
        #expect(try await second.value.body == [2])
        let error = await #expect(throws: NetworkError.self) { try await first.value }
        #expect(error?.code == code)
        // It has what is left of its time.
        let totals = held.requests.value.map(\.timeouts.total)
        #expect(totals.count == 2)
        #expect(totals[1] <= totals[0])
    }

    @Test func `A request that waits shares another failure`() async throws {
        let held = Held()
        let transport = caching.transport(held)
        let request = request()
        let first = Task { try await transport.send(request) }
        try await held.requests.wait(for: "the first request") { $0.count == 1 }
        let second = Task { try await transport.send(request) }
        await yieldOften()
        held.first.update { $0 = .failure(NetworkError(.connect, "nobody is there")) }
        let firstOutcome = await first.result
        #expect(throws: NetworkError.self) { try firstOutcome.get() }
        // If it came too late to wait, it was sent itself.
        if case .failure(let error as NetworkError) = await second.result {
            #expect(error.code == .connect)
        }
    }

    @Test func `The limit in an error is that of the whole, not of what was left of it`()
        async throws
    {
        let stub = StubTransport { request throws(NetworkError) in
            guard request.url.hasSuffix("/a") else {
                throw NetworkError(
                    .total, of: request.timeouts, for: try RequestURL(request.url).origin)
            }
            var response = HTTPResponse(status: 302, fields: ["Location": "/b"])
            response.timing.total = .seconds(20)
            return response
        }
        let error = await #expect(throws: NetworkError.self) {
            try await caching.transport(stub).send(.get("https://h/a"))
        }
        #expect(stub.requests.last?.timeouts.total == .seconds(10))
        #expect(error?.description == "no complete answer from h:443 within 30 s")
    }
}
