// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Observation
import PollardHTTP
import PollardTestSupport
import Testing

/// A view model on the main actor, and one that a server keeps in an actor.
@MainActor private final class NameModel {
    let name: Latest<String>

    init(client: some APIClient) { name = Latest(client, .path("/name")) }

    func appear() async { await name.load() }
}

private actor NameService {
    private let name: Latest<String>

    init(_ load: @escaping @Sendable () async throws(NetworkError) -> String) {
        name = Latest(load: load)
    }

    func load() async throws(NetworkError) -> String { try await name.load().get() }
    func reload() async throws(NetworkError) -> String { try await name.reload().get() }
    var isLoading: Bool { name.isLoading }
    var value: String? { name.value }
    var errorCode: NetworkError.Code? { name.error?.code }
}

@Suite struct LatestTests {
    private let client = NetworkManager(
        transport: StubTransport { _ in .json("\"Ada\"") }, baseURL: "https://h", retry: .never)

    // MARK: - Values

    @Test @MainActor func `A view model loads on the main actor`() async {
        let model = NameModel(client: client)
        #expect(model.name.value == nil)
        await model.appear()
        #expect(model.name.value == "Ada")
        #expect(!model.name.isLoading)
    }

    @Test func `A value has the time at which it was loaded`() async throws {
        let loaded = Date(timeIntervalSince1970: 1_000_000)
        let latest = Latest("old", now: { loaded }) { "new" }
        #expect(latest.value == "old")
        #expect(latest.lastUpdated == nil)
        #expect(try await latest.load().get() == "new")
        #expect(latest.value == "new")
        #expect(latest.lastUpdated == loaded)
    }

    @Test func `A load that fails keeps the value, and the next that succeeds clears the error`()
        async
    {
        let stub = StubTransport(
            .success(.json("1")), .success(.json("", status: 503)), .success(.json("2")))
        let client = NetworkManager(transport: stub, baseURL: "https://h", retry: .never)
        let latest = Latest<Int>(client, .path("/count"))
        await latest.load()
        let updated = latest.lastUpdated
        await latest.load()
        #expect(latest.value == 1)
        #expect(latest.error?.response?.status == 503)
        #expect(latest.lastUpdated == updated)
        #expect(!latest.isLoading)
        await latest.load()
        #expect(latest.value == 2)
        #expect(latest.error == nil)
    }

    // MARK: - Observing

    @Test func `What changes is observed, and nothing else`() async {
        let latest = Latest { "Ada" }
        let changes = Watched<[String]>([])
        withObservationTracking {
            _ = latest.isLoading
        } onChange: {
            changes.update { $0.append("isLoading") }
        }
        withObservationTracking {
            _ = latest.value
        } onChange: {
            changes.update { $0.append("value") }
        }
        withObservationTracking {
            _ = latest.error
        } onChange: {
            changes.update { $0.append("error") }
        }
        await latest.load()
        #expect(changes.value == ["isLoading", "value"])
    }

    @Test @MainActor func `Values can be iterated while they change`() async throws {
        let count = Watched(0)
        let latest = Latest {
            count.update {
                $0 += 1; return $0
            }
        }
        var seen: [Int?] = []
        for await value in Observations({ latest.value }) {
            seen.append(value)
            if seen.count == 3 { break }
            Task { await latest.load() }
        }
        #expect(seen == [nil, 1, 2])
    }

    // MARK: - Several loads

    /// Loads that end when told: each call waits for its gate, and then gives its number.
    private final class Loads: Sendable {
        let gates: [Gate]
        let started = Watched(0)
        let ended = Watched<[String]>([])

        init() throws { gates = try (0..<3).map { _ in try Gate() } }

        func load() async throws(NetworkError) -> String {
            let number = started.update {
                $0 += 1; return $0
            }
            do {
                try await gates[number - 1].wait()
            } catch {
                ended.update { $0.append("\(number) cancelled") }
                throw NetworkError(.cancelled, "the request was cancelled")
            }
            ended.update { $0.append("\(number)") }
            return "\(number)"
        }
    }

    @Test func `A load joins the one in flight`() async throws {
        let loads = try Loads()
        let service = NameService(loads.load)
        async let first = service.load()
        try await loads.started.wait(for: "the load") { $0 == 1 }
        async let second = service.load()
        #expect(await service.isLoading)
        loads.gates[0].open()
        #expect(try await [first, second] == ["1", "1"])
        #expect(await !service.isLoading)
        #expect(loads.started.value == 1)
    }

    @Test func `A reload takes the place of the load in flight, for all who wait`() async throws {
        let loads = try Loads()
        let service = NameService(loads.load)
        async let first = service.load()
        try await loads.started.wait(for: "the load") { $0 == 1 }
        async let second = service.reload()
        try await loads.ended.wait(for: "its end") { $0 == ["1 cancelled"] }
        try await loads.started.wait(for: "the reload") { $0 == 2 }
        #expect(await service.isLoading)
        loads.gates[1].open()
        #expect(try await [first, second] == ["2", "2"])
        #expect(await service.value == "2")
        #expect(await !service.isLoading)
    }

    @Test func `A caller that is cancelled returns at once, and the others get their value`()
        async throws
    {
        let loads = try Loads()
        let service = NameService(loads.load)
        let patient = Task { try await service.load() }
        try await loads.started.wait(for: "the load") { $0 == 1 }
        let impatient = Task { try await service.load() }
        impatient.cancel()
        let error = await #expect(throws: NetworkError.self) { try await impatient.value }
        #expect(error?.code == .cancelled)
        #expect(error?.description == "the load was cancelled")
        #expect(await service.isLoading)
        loads.gates[0].open()
        #expect(try await patient.value == "1")
        #expect(loads.ended.value == ["1"])
    }

    @Test func `The load is cancelled with its last caller, which changes nothing`() async throws {
        let loads = try Loads()
        let service = NameService(loads.load)
        let only = Task { try await service.load() }
        try await loads.started.wait(for: "the load") { $0 == 1 }
        only.cancel()
        await #expect(throws: NetworkError.self) { try await only.value }
        try await loads.ended.wait(for: "its end") { $0 == ["1 cancelled"] }
        #expect(await !service.isLoading)
        #expect(await service.errorCode == nil)
        loads.gates[1].open()
        #expect(try await service.load() == "2")
    }

    @Test @MainActor func `A caller that comes while the last one is cancelled gets a value`()
        async throws
    {
        // The cancellation comes from another thread, at any moment of the second call.
        for _ in 0..<300 {
            let latest = Latest { () async throws(NetworkError) in
                for _ in 0..<50 where !Task.isCancelled { await Task.yield() }
                guard !Task.isCancelled else { throw NetworkError(.cancelled, "it was cancelled") }
                return 7
            }
            let first = Task { await latest.load() }
            await Task.yield()
            Task.detached { first.cancel() }
            #expect(try await latest.load().get() == 7)
            _ = await first.value
        }
    }

    @Test func `A cancelled task gets no value, and leaves no load in flight`() async throws {
        let loads = try Loads()
        let service = NameService(loads.load)
        let task = Task {
            cancelCurrentTask()
            return try await service.load()
        }
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(await !service.isLoading)
    }
}
