// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PollardCore

@Suite struct PendingChangesTests {
    private let endpoints: [WatchedEndpoint]

    init() throws {
        endpoints = try ["a", "b", "c"].map { name in
            WatchedEndpoint(
                EndpointConfiguration(
                    name: try name.endpoint,
                    request: RequestConfiguration(url: "http://127.0.0.1/")))
        }
    }

    @Test func `Changes of an endpoint stay in order, and endpoints take turns`() throws {
        let pending = Waiting()
        for (endpoint, value) in [(0, 1), (0, 2), (1, 3), (0, 4), (2, 5)] as [(Int, UInt8)] {
            #expect(pending.keep(entry(endpoint, value)))
        }
        #expect(pending.changes.counts.values.sorted() == [1, 1, 3])
        #expect(pending.drain() == [1, 3, 5, 2, 4])
        #expect(pending.changes.isEmpty)
    }

    @Test func `A change that can't be stored holds up its own endpoint only`() throws {
        let pending = Waiting()
        for (endpoint, value) in [(0, 1), (0, 2), (1, 3), (2, 4)] as [(Int, UInt8)] {
            #expect(pending.keep(entry(endpoint, value)))
        }
        #expect(pending.take() == [1])
        pending.changes.noteFailed(endpoints[0].name)
        #expect(pending.take() == [3], "alone after a failure")
        _ = pending.changes.noteStored(endpoints[1].name, as: .any)
        #expect(pending.take() == [4], "two at once, but the first had its attempt in this pass")
        #expect(pending.take() == [])
        _ = pending.changes.noteStored(endpoints[2].name, as: .any)
        pending.changes.beginPass()
        #expect(pending.drain() == [1, 2])
    }

    @Test func `Changes that failed together are tried alone in the same pass`() throws {
        let pending = Waiting()
        for endpoint in 0..<3 { #expect(pending.keep(entry(endpoint, UInt8(endpoint)))) }
        #expect(pending.take() == [0])
        _ = pending.changes.noteStored(endpoints[0].name, as: .any)
        #expect(pending.take() == [1, 2])
        for endpoint in 1...2 { pending.changes.noteFailed(endpoints[endpoint].name) }
        #expect(pending.take() == [1])
        pending.changes.noteFailed(endpoints[1].name)
        #expect(pending.take() == [2])
        pending.changes.noteFailed(endpoints[2].name)
        #expect(pending.take() == [], "each had an attempt of its own")
        pending.changes.beginPass()
        #expect(pending.take() == [1])
    }

    @Test func `The body to compare with is that of the last change`() throws {
        let pending = Waiting()
        let (old, new) = (entry(0, 1), entry(0, 2))
        _ = pending.keep(old)
        _ = pending.keep(new)
        let name = endpoints[0].name
        #expect(pending.changes.body(new.change.digest, of: name) == [2])
        #expect(pending.changes.body(old.change.digest, of: name) == nil)
        #expect(pending.changes.body(new.change.digest, of: endpoints[1].name) == nil)
    }

    @Test func `Bodies take 64 MiB at most, and those of one endpoint a quarter of it`() throws {
        let pending = Waiting()
        // An endpoint's first may take all: nothing tells it from a large answer.
        #expect(pending.keep(entry(0, 0, size: 40 << 20)))
        #expect(!pending.keep(entry(0, 1)))
        #expect(!pending.keep(entry(1, 2, size: 24 << 20)))
        #expect(pending.keep(entry(1, 3, size: 8 << 20)))
        #expect(pending.keep(entry(1, 4, size: 7 << 20)))
        #expect(!pending.keep(entry(1, 5, size: 1 << 20)))
        #expect(pending.changes.count == 3)
        // Room that was taken is given back.
        #expect(pending.drain() == [0, 3, 4])
        #expect(pending.keep(entry(2, 6, size: 63 << 20)))
        var summary = ChangeSummary()
        summary.patch = String(repeating: "x", count: 1 << 20)
        var change = entry(0, 7)
        change.change.summary = summary
        #expect(!pending.keep(change), "a patch counts too")
    }

    @Test func `10,000 changes are kept at most, and of one endpoint a quarter`() throws {
        let pending = Waiting()
        for _ in 0..<PendingChanges.maximumCount / 4 {
            #expect(pending.keep(entry(0, 1)))
        }
        #expect(!pending.keep(entry(0, 1)))
        for number in 0..<PendingChanges.maximumCount / 4 * 3 {
            let endpoint = WatchedEndpoint(
                EndpointConfiguration(
                    name: try "endpoint-\(number)".endpoint,
                    request: RequestConfiguration(url: "http://127.0.0.1/")))
            var entry = entry(0, 2)
            entry.endpoint = endpoint
            #expect(pending.keep(entry))
        }
        #expect(!pending.keep(entry(1, 1)))
        #expect(pending.changes.count == PendingChanges.maximumCount)
        #expect(pending.drain().count == PendingChanges.maximumCount)
    }

    @Test func `A stop names ten endpoints, and how many more there are`() throws {
        let pending = Waiting()
        for number in 10..<22 {
            var entry = entry(0, 1)
            entry.endpoint = WatchedEndpoint(
                EndpointConfiguration(
                    name: try "n\(number)".endpoint,
                    request: RequestConfiguration(url: "http://127.0.0.1/")))
            #expect(pending.keep(entry))
        }
        #expect(
            EventEntry.changesLost(pending.changes).message == """
                store trouble: 12 changes could not be stored before the end: n10 (1), n11 (1), \
                n12 (1), n13 (1), n14 (1), n15 (1), n16 (1), n17 (1), n18 (1), n19 (1), 2 more; \
                the next start tells what differs then from what is stored
                """)
    }

    /// A change to one byte, or to many of it.
    private func entry(_ endpoint: Int, _ value: UInt8, size: Int = 1) -> PendingChanges.Entry {
        let body = [UInt8](repeating: value, count: size)
        let change = NewChange(
            kind: .changed, event: "event", digest: MemoryStore.digest(of: [value]), body: body,
            contentType: nil, takenAt: Timestamp(microseconds: 0), previous: nil,
            summary: ChangeSummary(), state: EndpointState())
        return PendingChanges.Entry(change: change, endpoint: endpoints[endpoint])
    }
}

/// Changes that wait, held where an expectation can change them.
private final class Waiting {
    var changes = PendingChanges()

    func keep(_ entry: PendingChanges.Entry) -> Bool {
        changes.keep(entry, after: EndpointState())
    }

    /// The first bytes of the bodies to try next.
    func take() -> [UInt8] { changes.takeBatch().flatMap { $0.change.body.prefix(1) } }

    /// Stores all; the first bytes of the bodies in order.
    func drain() -> [UInt8] {
        var values: [UInt8] = []
        while true {
            let batch = changes.takeBatch()
            guard !batch.isEmpty else { return values }
            for entry in batch {
                values += entry.change.body.prefix(1)
                _ = changes.noteStored(entry.endpoint.name, as: .any)
            }
        }
    }
}

extension Snapshot {
    fileprivate static let any = Snapshot(
        id: 1, digest: MemoryStore.digest(of: []), contentType: nil,
        takenAt: Timestamp(microseconds: 0))
}
