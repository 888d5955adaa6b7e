// SPDX-License-Identifier: Apache-2.0
import Synchronization
import PollardTestSupport
import Testing

@testable import PollardHTTP

/// The situations of the public suite for caches, each against a cache in memory and one on disk.
@Suite struct CacheCaseTests {
    private let start: Int64 = 1_800_000_000

    private struct State {
        var now: Int64
        var step = CacheCase.Step(method: "GET", path: "/")
        var number = 0
        /// What the server sent last: its validators.
        var tag: String?
        var modified: String?
        var received: [HTTPRequest] = []
    }

    @Test(arguments: try CacheCase.all())
    func `A case of the suite ends as it should`(situation: CacheCase) async throws {
        try await run(situation, ResponseCache())
        try await withTemporaryDirectory { directory in
            // Nothing in memory, so that each use reads the file.
            var configuration = ResponseCache.Configuration()
            configuration.memoryBytes = 0
            try await run(
                situation,
                ResponseCache(directory: directory.path(of: "c"), configuration: configuration))
        }
    }

    @Test func `No case is there twice, and none without a request`() throws {
        let cases = try CacheCase.all()
        #expect(Set(cases.map(\.id)).count == cases.count)
        #expect(cases.allSatisfy { !$0.steps.isEmpty })
        #expect(cases.count > 250)
    }

    private func run(_ situation: CacheCase, _ cache: ResponseCache) async throws {
        let state = Mutex(State(now: start))
        let stub = StubTransport { request throws(NetworkError) in
            try state.withLock { state throws(NetworkError) in try Self.answer(request, &state) }
        }
        let transport = CachingTransport(stub, cache: cache) { state.withLock { $0.now } }
        for step in situation.steps {
            let sentBefore = stub.requests.count
            let asked = await Self.asked(cache)
            state.withLock { state in
                state.step = step
                state.number += 1
            }
            var request = HTTPRequest(
                url: "https://h\(step.path)", method: HTTPMethod(rawValue: step.method),
                fields: step.request)
            request.maximumRedirects = 0
            if ["POST", "PUT", "DELETE", "M-SEARCH"].contains(step.method) { request.body = [1] }
            let result: Result<HTTPResponse, NetworkError>
            do throws(NetworkError) {
                result = .success(try await transport.send(request))
            } catch {
                result = .failure(error)
            }
            if let response = try? result.get(), response.cacheOutcome == .staleWhileRevalidate {
                try await waitUntil("the answer in the background") {
                    await Self.asked(cache) > asked
                }
            }
            check(
                step, situation.id, result, number: state.withLock { $0.number },
                sent: Array(stub.requests[sentBefore...]))
            state.withLock { $0.now += step.pause }
        }
    }

    private static func asked(_ cache: ResponseCache) async -> Int {
        let statistics = await cache.statistics
        return statistics.misses + statistics.revalidations
    }

    /// Answers as the step says; 304 if the request has the validator sent last.
    private static func answer(
        _ request: HTTPRequest, _ state: inout State
    ) throws(NetworkError) -> HTTPResponse {
        guard !state.step.closes else { throw NetworkError(.connectionLost, "it closed") }
        var fields = HTTPFields()
        for (name, value) in state.step.answer {
            let isDate = value.hasPrefix("@")
            let offset = isDate ? Int64(value.dropFirst()) ?? 0 : 0
            do {
                fields.append(name, isDate ? try httpDate(state.now + offset) : value)
            } catch {
                throw NetworkError(.invalidRequest, "no such date", underlying: error)
            }
        }
        let isConfirmed =
            (state.tag != nil && request.fields["If-None-Match"] == state.tag)
            || (state.modified != nil && request.fields["If-Modified-Since"] == state.modified)
        state.tag = fields["ETag"] ?? state.tag
        state.modified = fields["Last-Modified"] ?? state.modified
        let isValidation = state.step.expectations.contains { $0.hasSuffix("validated") }
        return HTTPResponse(
            status: isValidation && isConfirmed ? 304 : state.step.status, fields: fields,
            body: Array("answer \(state.number)".utf8))
    }

    private func check(
        _ step: CacheCase.Step, _ id: String, _ result: Result<HTTPResponse, NetworkError>,
        number: Int, sent: [HTTPRequest]
    ) {
        let comment = Comment(rawValue: "\(id), request \(number): \(result)")
        let response = try? result.get()
        for line in step.sent.lines {
            #expect(sent.first?.fields[line.name] == line.value, comment)
        }
        for expectation in step.expectations {
            let words = expectation.split(separator: " ").map(String.init)
            switch words[0] {
            case "cached":
                #expect(response?.body != Array("answer \(number)".utf8), comment)
                #expect(response != nil, comment)
                #expect(sent.isEmpty || response?.cacheOutcome != .hit, comment)
            case "not_cached":
                #expect(response?.body == Array("answer \(number)".utf8), comment)
                #expect(response?.cacheOutcome == .miss, comment)
            case "etag_validated":
                #expect(sent.last?.fields["If-None-Match"] != nil, comment)
                #expect(response?.cacheOutcome == .revalidated, comment)
            case "lm_validated":
                #expect(sent.last?.fields["If-Modified-Since"] != nil, comment)
                #expect(response?.cacheOutcome == .revalidated, comment)
            case "fails": #expect(response == nil, comment)
            case "status": #expect(response?.status == Int(words[1]), comment)
            case "has": #expect(response?.fields[words[1]] != nil, comment)
            case "no": #expect(response?.fields[words[1]] == nil, comment)
            case let name where words.count == 3 && words[1] == ">":
                let value = response?.fields[name].flatMap { Int($0) } ?? 0
                #expect(value > Int(words[2]) ?? 0, comment)
            case let name:
                let value = expectation.dropFirst(name.count).drop { $0 == " " }
                let name = String(name.dropLast())
                let offset = value.hasPrefix("@") ? Int64(value.dropFirst()) : nil
                // Dates are those of the answer that was stored, three seconds ago.
                let wanted = try? offset.map { try httpDate(start + $0) } ?? String(value)
                #expect(response?.fields[name] == wanted, comment)
            }
        }
    }
}
